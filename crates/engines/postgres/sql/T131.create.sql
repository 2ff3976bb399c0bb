-- T131: integer arithmetic, each operation on the result of the one before.
create or replace function t131(operations bigint) returns bigint
language plpgsql as $$
declare
  x bigint := 42;
begin
  for i in 1 .. operations loop
    x := (x * 48271 + 11) % 2147483647;
  end loop;
  return x;
end
$$
