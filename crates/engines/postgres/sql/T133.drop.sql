-- T133: what its set-up created.
drop function if exists t133(bigint)
