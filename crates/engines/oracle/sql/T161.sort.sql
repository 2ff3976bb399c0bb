-- T161: one array, filled and sorted in one call.
select t161(:elements) from dual
