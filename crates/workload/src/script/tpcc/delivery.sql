\set carrier random(1, 10)
