-- T152: how many of so many numbers, from 2 on, are prime.
create or replace function t152(numbers pls_integer) return pls_integer is
  divisor pls_integer;
  primes pls_integer := 0;
begin
  for candidate in 2 .. numbers + 1 loop
    divisor := 2;
    loop
      if divisor * divisor > candidate then
        primes := primes + 1;
        exit;
      end if;
      exit when mod(candidate, divisor) = 0;
      divisor := divisor + 1;
    end loop;
  end loop;
  return primes;
end;
