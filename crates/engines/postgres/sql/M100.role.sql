-- M100: 1 where this node takes writes; after a failover it is another one.
select case when pg_catalog.pg_is_in_recovery() then 0 else 1 end
