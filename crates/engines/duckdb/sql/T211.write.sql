-- T211: rows of 1 KB from a range, which costs less than a recursive query.
insert into written_{job} (id, pad)
select i, cast(:pad as varchar) from range(1, cast(:rows as bigint) + 1) as numbers (i)
