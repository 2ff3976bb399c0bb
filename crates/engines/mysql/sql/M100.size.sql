-- M100: bytes of all tables that this user may see, as the statistics of their tables have it.
select cast(coalesce(sum(data_length + index_length), 0) as signed) from information_schema.tables
