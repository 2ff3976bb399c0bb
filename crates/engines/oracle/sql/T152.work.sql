-- T152: all numbers of a step in one call.
select t152(:numbers) from dual
