-- T141: what its set-up created.
drop procedure if exists t141;
drop table if exists t141_row
