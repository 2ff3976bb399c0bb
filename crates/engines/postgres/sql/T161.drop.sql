-- T161: what its set-up created.
drop function if exists t161(bigint)
