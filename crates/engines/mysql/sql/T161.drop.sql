-- T161: what its set-up created.
drop procedure if exists t161;
drop table if exists t161_row
