\set d random(1, 10)
