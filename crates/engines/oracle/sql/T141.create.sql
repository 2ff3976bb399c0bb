-- T141: a string built, searched, changed, cut and compared with the one before. Strings are compared byte by byte
-- unless the session asks for a linguistic order, which dbdyno's do not.
create or replace function t141(operations number) return number is
  type word_list is varray(8) of varchar2(8);
  words constant word_list := word_list('alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel');
  item_number number;
  item varchar2(64);
  found_at pls_integer;
  part varchar2(16);
  part_before varchar2(16) := ' ';
  direction pls_integer;
  checksum number := 0;
begin
  for i in 0 .. operations - 1 loop
    item_number := mod(i * 7919, 1000000);
    item := 'item-' || substr(to_char(1000000 + item_number), 2) || '-' || words(1 + mod(item_number, 8)) || '-end';
    found_at := instr(item, 'ch');
    item := replace(item, '-', '::');
    part := substr(item, 7, 10);
    direction := case when part > part_before then 1 when part < part_before then -1 else 0 end;
    checksum := mod(checksum * 31 + found_at * 1000 + length(item) * 10 + direction, 2147483647);
    part_before := part;
  end loop;
  return checksum;
end;
