-- T211: rows of 1 KB; the numbers come from a query that connects one row to itself.
insert into written_{job} (id, pad)
select level, :pad from dual connect by level <= :rows
