-- T132: what its set-up created.
drop function if exists t132(bigint)
