-- T132: all operations of a step in one call.
call t132(:operations)
