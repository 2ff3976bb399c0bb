\set d random(1, 10)
\set c_w :home
\set c_d :d
\if :warehouses > 1 and random(1, 100) > 85
\set c_w 1 + (:home + random(0, :warehouses - 2)) % :warehouses
\set c_d random(1, 10)
\endif
\set amount random(1, 5000)
