-- T141: what its set-up created.
drop function if exists t141(bigint)
