-- T426: the condition of the other engines is answered here from statistics, and no row is read. This one is true of
-- every row, which the engine cannot know before it has read all columns of it.
select count(*) from large
where (hash(id, scatter, value, category, touched, amount, price, region, code, filler) & 1) < 2
