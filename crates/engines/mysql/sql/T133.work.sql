-- T133: all operations of a step in one call.
call t133(:operations)
