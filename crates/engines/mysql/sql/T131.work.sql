-- T131: all operations of a step in one call.
call t131(:operations)
