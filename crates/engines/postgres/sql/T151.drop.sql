-- T151: what its set-up created.
drop function if exists t151(bigint)
