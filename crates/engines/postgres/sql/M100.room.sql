-- M100: half of each page is left to new versions of its rows, so that no update touches an index.
alter table monitor set (fillfactor = 50)
