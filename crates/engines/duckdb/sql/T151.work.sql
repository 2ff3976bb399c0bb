-- T151: there is no procedural language: the tree of calls as rows, each of which makes the two calls below it, level
-- by level, as a recursive query goes here. A call with n below 2 returns n, and all of these together are the result.
-- The sum with zero leaves the type of the bind open, so that the statement is planned at every execution, as those of
-- T131 to T152 are: in versions 1, one that names no table and is planned once is no transaction of the database,
-- and not counted.
with recursive calls (n) as (
  select :n + cast(0 as bigint)
  union all
  select unnest([n - 1, n - 2]) from calls where n >= 2
)
select sum(n) from calls where n < 2
