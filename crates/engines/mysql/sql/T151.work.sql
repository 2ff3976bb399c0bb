-- T151: the whole tree of calls.
call t151(:n)
