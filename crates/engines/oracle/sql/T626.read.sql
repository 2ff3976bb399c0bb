-- T626: along the index, and each row of the table by itself: from version 12 on the server else collects addresses of
-- rows and reads several blocks at once.
select /*+ index(large large_scatter) no_batch_table_access_by_rowid(large) */ count(*), sum(value)
from large
where scatter = :scatter
