-- T141: all operations of a step in one call.
select t141(:operations) from dual
