-- T151: there is no procedural language: the tree of calls as rows, each of which makes the two calls below it. The
-- order makes it depth first, as a function does it, and keeps the queue short. A call with n below 2 returns n, and
-- all of these together are the result.
with recursive calls (n) as (
  select :n
  union all
  select n - 1 from calls where n >= 2
  union all
  select n - 2 from calls where n >= 2
  order by 1
)
select sum(n) from calls where n < 2
