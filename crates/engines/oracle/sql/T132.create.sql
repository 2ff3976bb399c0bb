-- T132: exact decimal arithmetic, each operation on the result of the one before.
create or replace function t132(operations number) return number is
  x number := 1000.00;
begin
  for i in 1 .. operations loop
    x := round(mod(x * 1.0825 + 3.17, 100000), 2);
  end loop;
  return x;
end;
