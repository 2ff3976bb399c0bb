\set threshold random(10, 20)
