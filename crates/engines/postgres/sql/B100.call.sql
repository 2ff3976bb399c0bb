-- B100: a batch of operations in one call.
call {table}_work(:operations, :stamp, 0)
