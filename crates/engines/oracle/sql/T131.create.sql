-- T131: integer arithmetic, each operation on the result of the one before. PL/SQL's integers have 32 bits: what has 64
-- and more is a NUMBER.
create or replace function t131(operations number) return number is
  x number := 42;
begin
  for i in 1 .. operations loop
    x := mod(x * 48271 + 11, 2147483647);
  end loop;
  return x;
end;
