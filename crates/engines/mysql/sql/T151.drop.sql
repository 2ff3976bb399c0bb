-- T151: what its set-up created.
drop procedure if exists t151;
drop procedure if exists t151_call;
drop table if exists t151_row
