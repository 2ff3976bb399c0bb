-- T141: there is no procedural language, and a recursive query has no variables: each column holds the result of one
-- stage, and the stages work side by side on four neighbouring strings, so that nothing is computed twice. String i
-- is built in row i + 1, searched and changed in the next, cut in the one after, and compared and added up then. The
-- first three rows add nothing.
with recursive work (i, item, found_at, changed, found_before, size, part, before, checksum) as (
  select 0, '', 0, '', 0, 0, '', '', 0
  union all
  select
    i + 1,
    'item-' || substr(1000000 + (i * 7919) % 1000000, 2) || '-' || case (i * 7919) % 8
      when 0 then 'alpha'
      when 1 then 'bravo'
      when 2 then 'charlie'
      when 3 then 'delta'
      when 4 then 'echo'
      when 5 then 'foxtrot'
      when 6 then 'golf'
      else 'hotel'
    end || '-end',
    instr(item, 'ch'),
    replace(item, '-', '::'),
    found_at,
    length(changed),
    substr(changed, 7, 10),
    part,
    (checksum * 31 + found_before * 1000 + size * 10 + (part > before) - (part < before)) % 2147483647
  from work
  where i < :operations + 3
)
select checksum from work where i = :operations + 3
