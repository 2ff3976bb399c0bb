-- T133: all operations of a step in one call.
select t133(:operations) from dual
