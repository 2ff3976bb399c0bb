-- T131: all operations of a step in one call.
select t131(cast(:operations as bigint))
