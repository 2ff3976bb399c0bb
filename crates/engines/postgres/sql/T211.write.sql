-- T211: rows of 1 KB from a series, which costs less than a recursive query.
insert into written_{job} (id, pad)
select i, cast(:pad as text)
from generate_series(1, cast(:rows as bigint)) as series (i)
