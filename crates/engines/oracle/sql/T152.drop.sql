-- T152: what its set-up created.
drop function t152
