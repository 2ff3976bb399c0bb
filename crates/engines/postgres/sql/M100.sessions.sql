-- M100: sessions of clients that are connected, and those in a statement, this one included.
select count(*), count(*) filter (where state = 'active') from pg_catalog.pg_stat_activity where backend_type = 'client backend'
