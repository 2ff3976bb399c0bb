-- B100: what is made anew.
drop procedure if exists {table}_work
