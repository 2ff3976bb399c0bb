-- T152: how many of so many numbers, from 2 on, are prime.
create or replace function t152(numbers bigint) returns bigint
language plpgsql as $$
declare
  divisor bigint;
  primes bigint := 0;
begin
  for number in 2 .. numbers + 1 loop
    divisor := 2;
    loop
      if divisor * divisor > number then
        primes := primes + 1;
        exit;
      end if;
      exit when number % divisor = 0;
      divisor := divisor + 1;
    end loop;
  end loop;
  return primes;
end
$$
