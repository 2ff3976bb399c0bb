-- T133: what its set-up created.
drop function t133
