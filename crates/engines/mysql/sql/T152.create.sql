-- T152: how many of so many numbers, from 2 on, are prime.
drop procedure if exists t152;
create table if not exists t152_row (id int primary key) engine = InnoDB;
insert ignore into t152_row values (1);
create procedure t152(numbers bigint)
begin
  declare number bigint default 2;
  declare divisor bigint;
  declare primes bigint default 0;
  while number < numbers + 2 do
    set divisor = 2;
    trial: loop
      if divisor * divisor > number then
        set primes = primes + 1;
        leave trial;
      end if;
      if number % divisor = 0 then
        leave trial;
      end if;
      set divisor = divisor + 1;
    end loop;
    set number = number + 1;
  end while;
  select primes from t152_row where id = 1;
end
