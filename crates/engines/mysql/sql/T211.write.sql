-- T211: rows of 1 KB; the numbers come from a recursive query, whose type the first row decides.
insert into written_{job} (id, pad)
with recursive numbers (i) as (
  select cast(1 as signed)
  union all
  select i + 1 from numbers where i < :rows
)
select i, :pad from numbers
