-- T132: what its set-up created.
drop procedure if exists t132;
drop table if exists t132_row
