-- T151: the whole tree of calls.
select t151(:n) from dual
