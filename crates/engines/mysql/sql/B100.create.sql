-- B100: a batch of operations, each a transaction of its own because each statement commits itself: the first key of
-- each, negative for an update, 0 for a scan.
create procedure {table}_work(operations text, stamp text)
begin
  declare low_key bigint;
  declare touched bigint default 0;
  declare letters bigint;
  declare visited bigint default 0;
  declare changed text;
  declare step int default 0;
  declare comma int;
  while operations <> '' do
    set step = step + 1;
    set comma = locate(',', operations);
    set low_key = substring_index(operations, ',', 1);
    set operations = if(comma > 0, substring(operations, comma + 1), '');
    if low_key > 0 then
      select count(*), sum(length(c2)) into touched, letters
      from {table} where block_key between low_key and low_key + {unit} - 1;
    elseif low_key < 0 then
      set changed = insert(stamp, 14, 3, lpad(step, 3, '0'));
      update {table} set {set} where block_key between -low_key and -low_key + {unit} - 1;
      set touched = row_count();
    else
      select count(*), sum(length(c2)) into touched, letters from {scan};
    end if;
    set visited = visited + touched;
  end while;
  select visited;
end
