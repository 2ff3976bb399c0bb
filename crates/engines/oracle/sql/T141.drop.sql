-- T141: what its set-up created.
drop function t141
