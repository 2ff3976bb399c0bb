-- T161: quicksort of pseudo-random integers, in place, with Hoare's partition and a stack of its own. There are no
-- arrays: each is a string of bytes with ten digits for an element, read by substr and written by insert, which copies
-- the string. Compare with engines that have arrays with that in mind.
drop procedure if exists t161;
create table if not exists t161_row (id int primary key) engine = InnoDB;
insert ignore into t161_row values (1);
create procedure t161(elements bigint)
begin
  declare a longblob default '';
  declare lows longblob default repeat('0000000000', elements);
  declare highs longblob default repeat('0000000000', elements);
  declare top bigint default 1;
  declare low bigint;
  declare high bigint;
  declare i bigint;
  declare j bigint;
  declare pivot bigint;
  declare left_element bigint;
  declare right_element bigint;
  declare x bigint default 42;
  declare checksum bigint default 0;
  declare k bigint default 0;
  while k < elements do
    set x = (x * 48271 + 11) % 2147483647;
    set a = concat(a, lpad(x, 10, '0'));
    set k = k + 1;
  end while;
  set lows = insert(lows, 1, 10, lpad(1, 10, '0'));
  set highs = insert(highs, 1, 10, lpad(elements, 10, '0'));
  while top > 0 do
    set low = cast(substr(lows, 10 * top - 9, 10) as signed);
    set high = cast(substr(highs, 10 * top - 9, 10) as signed);
    set top = top - 1;
    while low < high do
      set pivot = cast(substr(a, 10 * ((low + high) div 2) - 9, 10) as signed);
      set i = low - 1;
      set j = high + 1;
      part: loop
        set i = i + 1;
        set left_element = cast(substr(a, 10 * i - 9, 10) as signed);
        while left_element < pivot do
          set i = i + 1;
          set left_element = cast(substr(a, 10 * i - 9, 10) as signed);
        end while;
        set j = j - 1;
        set right_element = cast(substr(a, 10 * j - 9, 10) as signed);
        while right_element > pivot do
          set j = j - 1;
          set right_element = cast(substr(a, 10 * j - 9, 10) as signed);
        end while;
        if i >= j then
          leave part;
        end if;
        set a = insert(a, 10 * i - 9, 10, lpad(right_element, 10, '0'));
        set a = insert(a, 10 * j - 9, 10, lpad(left_element, 10, '0'));
      end loop;
      -- The right part waits on the stack, the left one goes on.
      set top = top + 1;
      set lows = insert(lows, 10 * top - 9, 10, lpad(j + 1, 10, '0'));
      set highs = insert(highs, 10 * top - 9, 10, lpad(high, 10, '0'));
      set high = j;
    end while;
  end while;
  set k = 1;
  while k <= elements do
    set checksum = (checksum * 31 + cast(substr(a, 10 * k - 9, 10) as signed)) % 2147483647;
    set k = k + 1;
  end while;
  select checksum from t161_row where id = 1;
end
