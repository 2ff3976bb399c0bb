-- T152: all numbers of a step in one call.
call t152(:numbers)
