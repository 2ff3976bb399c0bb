-- T512: before version 23 there is no "if exists".
drop index large_code
