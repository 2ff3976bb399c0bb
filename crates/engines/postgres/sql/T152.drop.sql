-- T152: what its set-up created.
drop function if exists t152(bigint)
