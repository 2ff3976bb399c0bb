-- T131: what its set-up created.
drop procedure if exists t131;
drop table if exists t131_row
