-- T161: quicksort of pseudo-random integers, in place, with Hoare's partition and a stack of its own. An array is an
-- associative one, indexed by integers.
create or replace function t161(elements pls_integer) return number is
  type integer_list is table of pls_integer index by pls_integer;
  a integer_list;
  lows integer_list;
  highs integer_list;
  top pls_integer := 1;
  low pls_integer;
  high pls_integer;
  i pls_integer;
  j pls_integer;
  pivot pls_integer;
  kept pls_integer;
  x number := 42;
  checksum number := 0;
begin
  for k in 1 .. elements loop
    x := mod(x * 48271 + 11, 2147483647);
    a(k) := x;
  end loop;
  lows(1) := 1;
  highs(1) := elements;
  while top > 0 loop
    low := lows(top);
    high := highs(top);
    top := top - 1;
    while low < high loop
      pivot := a(trunc((low + high) / 2));
      i := low - 1;
      j := high + 1;
      loop
        i := i + 1;
        while a(i) < pivot loop
          i := i + 1;
        end loop;
        j := j - 1;
        while a(j) > pivot loop
          j := j - 1;
        end loop;
        exit when i >= j;
        kept := a(i);
        a(i) := a(j);
        a(j) := kept;
      end loop;
      -- The right part waits on the stack, the left one goes on.
      top := top + 1;
      lows(top) := j + 1;
      highs(top) := high;
      high := j;
    end loop;
  end loop;
  for k in 1 .. elements loop
    checksum := mod(checksum * 31 + a(k), 2147483647);
  end loop;
  return checksum;
end;
