-- T151: what its set-up created.
drop function t151
