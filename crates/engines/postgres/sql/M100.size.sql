-- M100: bytes of all databases that this user may connect to.
select coalesce(sum(pg_catalog.pg_database_size(oid)), 0)::int8 from pg_catalog.pg_database where pg_catalog.has_database_privilege(oid, 'connect')
