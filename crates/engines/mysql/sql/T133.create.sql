-- T133: floating point arithmetic, each operation on the result of the one before.
drop procedure if exists t133;
create table if not exists t133_row (id int primary key) engine = InnoDB;
insert ignore into t133_row values (1);
create procedure t133(operations bigint)
begin
  declare x double default 0.3;
  declare i bigint default 0;
  while i < operations do
    set x = x * (1e0 - x) / 0.252e0 + 0.001e0;
    set i = i + 1;
  end while;
  select x from t133_row where id = 1;
end
