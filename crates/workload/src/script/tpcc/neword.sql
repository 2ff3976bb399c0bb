\set d random(1, 10)
\set c random(1, 3000)
\set lines random(5, 15)
