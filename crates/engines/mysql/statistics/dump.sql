-- The counters of a MariaDB or MySQL server, for `dbdyno size`. It reads the status alone.
--
-- Twice or more, an hour apart or less:
--
--     dbdyno size queries mariadb > dump.sql
--     while sleep 600; do mariadb -B < dump.sql >> load.tsv; done
--
-- Beside it `sadf -j` or `iostat -x -t 60` on the server's host: it alone tells processors.
select unix_timestamp(now(6)) as dumped_at;
show global status;
show global variables where variable_name in ('innodb_buffer_pool_size', 'server_uuid', 'version');
