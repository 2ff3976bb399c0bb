-- T133: floating point arithmetic, each operation on the result of the one before.
create or replace function t133(operations bigint) returns double precision
language plpgsql as $$
declare
  x double precision := 0.3;
begin
  for i in 1 .. operations loop
    x := x * (1.0 - x) / 0.252 + 0.001;
  end loop;
  return x;
end
$$
