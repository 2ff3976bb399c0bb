-- T151: the whole tree of calls.
select t151(cast(:n as bigint))
