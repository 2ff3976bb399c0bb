-- T132: what its set-up created.
drop function t132
