\if :home = 0
select max(w_id) as warehouses from warehouse \gset
\set home random(1, :warehouses)
\set level_district random(1, 10)
\endif
