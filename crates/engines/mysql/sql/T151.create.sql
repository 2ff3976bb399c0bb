-- T151: a procedure that calls itself twice and adds: a function may not call itself here.
drop procedure if exists t151;
drop procedure if exists t151_call;
create table if not exists t151_row (id int primary key) engine = InnoDB;
insert ignore into t151_row values (1);
create procedure t151_call(n bigint, out result bigint)
begin
  declare before_last bigint;
  if n < 2 then
    set result = n;
  else
    call t151_call(n - 1, result);
    call t151_call(n - 2, before_last);
    set result = result + before_last;
  end if;
end;
create procedure t151(n bigint)
begin
  declare result bigint;
  call t151_call(n, result);
  select result from t151_row where id = 1;
end
