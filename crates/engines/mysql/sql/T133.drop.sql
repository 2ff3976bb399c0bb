-- T133: what its set-up created.
drop procedure if exists t133;
drop table if exists t133_row
