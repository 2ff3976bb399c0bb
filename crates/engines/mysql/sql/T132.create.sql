-- T132: exact decimal arithmetic, each operation on the result of the one before.
drop procedure if exists t132;
create table if not exists t132_row (id int primary key) engine = InnoDB;
insert ignore into t132_row values (1);
create procedure t132(operations bigint)
begin
  declare x decimal(12, 2) default 1000.00;
  declare i bigint default 0;
  while i < operations do
    set x = round(mod(x * 1.0825 + 3.17, 100000), 2);
    set i = i + 1;
  end while;
  select x from t132_row where id = 1;
end
