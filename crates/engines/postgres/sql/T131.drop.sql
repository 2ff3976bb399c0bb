-- T131: what its set-up created.
drop function if exists t131(bigint)
