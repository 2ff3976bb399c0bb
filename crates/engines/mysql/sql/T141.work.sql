-- T141: all operations of a step in one call.
call t141(:operations)
