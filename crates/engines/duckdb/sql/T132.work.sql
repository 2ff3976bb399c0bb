-- T132: there is no procedural language: one row of a recursive query for each operation.
with recursive work (i, x) as (
  select cast(0 as bigint), cast(1000.00 as decimal(18, 2))
  union all
  select i + 1, cast(round((x * 1.0825 + 3.17) % 100000, 2) as decimal(18, 2)) from work where i < :operations
)
select x from work where i = :operations
