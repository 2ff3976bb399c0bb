-- T512: with the table named.
drop index large_code on large
