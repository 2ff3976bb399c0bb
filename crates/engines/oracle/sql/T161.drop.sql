-- T161: what its set-up created.
drop function t161
