-- T133: floating point arithmetic, each operation on the result of the one before.
create or replace function t133(operations number) return binary_double is
  x binary_double := 0.3d;
begin
  for i in 1 .. operations loop
    x := x * (1d - x) / 0.252d + 0.001d;
  end loop;
  return x;
end;
