-- T151: a function that calls itself twice and adds.
create or replace function t151(n pls_integer) return pls_integer is
begin
  if n < 2 then
    return n;
  end if;
  return t151(n - 1) + t151(n - 2);
end;
