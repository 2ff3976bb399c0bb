-- B100: along the index, and each row of the table by itself: from version 12 on the server else collects addresses of
-- rows and reads several blocks at once.
select /*+ index({table} {index}) no_batch_table_access_by_rowid({table}) */ count(*), sum(length(c2))
from {table}
where block_key between :low and :high
