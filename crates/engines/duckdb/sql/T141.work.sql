-- T141: there is no procedural language: one row of a recursive query for each string. A column can name those before
-- it in the same row, so nothing is computed twice.
with recursive work (i, part, checksum) as (
  select cast(0 as bigint), '', cast(0 as bigint)
  union all
  select next_i, next_part, next_checksum
  from (
    select
      i + 1 as next_i,
      'item-' || substr(cast(1000000 + (i * 7919) % 1000000 as varchar), 2) || '-' || case (i * 7919) % 8
        when 0 then 'alpha'
        when 1 then 'bravo'
        when 2 then 'charlie'
        when 3 then 'delta'
        when 4 then 'echo'
        when 5 then 'foxtrot'
        when 6 then 'golf'
        else 'hotel'
      end || '-end' as item,
      replace(item, '-', '::') as changed,
      substr(changed, 7, 10) as next_part,
      (checksum * 31 + strpos(item, 'ch') * 1000 + length(changed) * 10
        + case when next_part > part then 1 when next_part < part then -1 else 0 end) % 2147483647 as next_checksum
    from work
    where i < :operations
  ) as stages
)
select checksum from work where i = :operations
