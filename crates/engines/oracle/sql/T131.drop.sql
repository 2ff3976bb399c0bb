-- T131: what its set-up created.
drop function t131
