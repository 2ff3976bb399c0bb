-- T131: all operations of a step in one call.
select t131(:operations) from dual
