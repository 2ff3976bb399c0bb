-- T512: before version 23 there is no "if exists"; -1418 says that there is no such index.
begin
  execute immediate 'drop index large_code';
exception
  when others then
    if sqlcode <> -1418 then
      raise;
    end if;
end;
