-- B100: a batch of operations, each a transaction of its own: the first key of each, negative for an update, 0 for a
-- scan. The last one is committed with the call.
create or replace procedure {table}_work(operations text, stamp text, inout visited bigint)
language plpgsql as $$
declare
  low bigint;
  touched bigint;
  letters bigint;
  changed text;
  step integer := 0;
begin
  visited := 0;
  foreach low in array string_to_array(operations, ',')::bigint[] loop
    if step > 0 then
      commit;
    end if;
    step := step + 1;
    if low > 0 then
      select count(*), sum(length(c2)) into touched, letters
      from {table} where block_key between low and low + {unit} - 1;
    elsif low < 0 then
      changed := overlay(stamp placing lpad(step::text, 3, '0') from 14 for 3);
      update {table} set {set} where block_key between -low and -low + {unit} - 1;
      get diagnostics touched = row_count;
    else
      select count(*), sum(length(c2)) into touched, letters from {scan};
    end if;
    visited := visited + touched;
  end loop;
end
$$
