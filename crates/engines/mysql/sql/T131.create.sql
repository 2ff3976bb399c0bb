-- T131: integer arithmetic, each operation on the result of the one before.
drop procedure if exists t131;
create table if not exists t131_row (id int primary key) engine = InnoDB;
insert ignore into t131_row values (1);
create procedure t131(operations bigint)
begin
  declare x bigint default 42;
  declare i bigint default 0;
  while i < operations do
    set x = (x * 48271 + 11) % 2147483647;
    set i = i + 1;
  end while;
  select x from t131_row where id = 1;
end
