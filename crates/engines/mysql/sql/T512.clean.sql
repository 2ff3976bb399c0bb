-- T512: an index is dropped with its table named, and MySQL knows no "if exists" for it: so look first.
set @statement = (select if(count(*) = 0, 'do 0', 'drop index large_code on large') from information_schema.statistics
  where table_schema = database() and table_name = 'large' and index_name = 'large_code');
prepare statement from @statement;
execute statement;
deallocate prepare statement
