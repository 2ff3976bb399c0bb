-- T161: quicksort of pseudo-random integers, in place, with Hoare's partition and a stack of its own.
create or replace function t161(elements bigint) returns bigint
language plpgsql as $$
declare
  a bigint[] := array_fill(0::bigint, array[elements::integer]);
  lows integer[] := array_fill(0, array[elements::integer]);
  highs integer[] := array_fill(0, array[elements::integer]);
  top integer := 1;
  low integer;
  high integer;
  i integer;
  j integer;
  pivot bigint;
  swap bigint;
  x bigint := 42;
  checksum bigint := 0;
begin
  for k in 1 .. elements loop
    x := (x * 48271 + 11) % 2147483647;
    a[k] := x;
  end loop;
  lows[1] := 1;
  highs[1] := elements;
  while top > 0 loop
    low := lows[top];
    high := highs[top];
    top := top - 1;
    while low < high loop
      pivot := a[(low + high) / 2];
      i := low - 1;
      j := high + 1;
      loop
        i := i + 1;
        while a[i] < pivot loop
          i := i + 1;
        end loop;
        j := j - 1;
        while a[j] > pivot loop
          j := j - 1;
        end loop;
        exit when i >= j;
        swap := a[i];
        a[i] := a[j];
        a[j] := swap;
      end loop;
      -- The right part waits on the stack, the left one goes on.
      top := top + 1;
      lows[top] := j + 1;
      highs[top] := high;
      high := j;
    end loop;
  end loop;
  for k in 1 .. elements loop
    checksum := (checksum * 31 + a[k]) % 2147483647;
  end loop;
  return checksum;
end
$$
