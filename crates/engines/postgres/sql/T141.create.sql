-- T141: a string built, searched, changed, cut and compared with the one before, byte by byte.
create or replace function t141(operations bigint) returns bigint
language plpgsql as $$
declare
  words constant text[] := array['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
  number bigint;
  item text;
  found_at bigint;
  part text collate "C";
  before text collate "C" := '';
  checksum bigint := 0;
begin
  for i in 0 .. operations - 1 loop
    number := (i * 7919) % 1000000;
    item := 'item-' || substr((1000000 + number)::text, 2) || '-' || words[1 + number % 8] || '-end';
    found_at := strpos(item, 'ch');
    item := replace(item, '-', '::');
    part := substr(item, 7, 10);
    checksum := (checksum * 31 + found_at * 1000 + length(item) * 10
      + case when part > before then 1 when part < before then -1 else 0 end) % 2147483647;
    before := part;
  end loop;
  return checksum;
end
$$
