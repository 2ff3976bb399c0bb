-- M100: 1 where this node takes writes; after a failover it is another one.
select 1 - @@global.read_only
