-- T132: all operations of a step in one call.
select t132(:operations) from dual
