-- T152: what its set-up created.
drop procedure if exists t152;
drop table if exists t152_row
