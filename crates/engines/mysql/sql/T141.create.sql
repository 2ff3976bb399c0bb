-- T141: a string built, searched, changed, cut and compared with the one before, byte by byte.
drop procedure if exists t141;
create table if not exists t141_row (id int primary key) engine = InnoDB;
insert ignore into t141_row values (1);
create procedure t141(operations bigint)
begin
  declare number bigint;
  declare item varchar(64) character set latin1 collate latin1_bin;
  declare found_at bigint;
  declare part varchar(16) character set latin1 collate latin1_bin;
  declare earlier varchar(16) character set latin1 collate latin1_bin default '';
  declare checksum bigint default 0;
  declare i bigint default 0;
  while i < operations do
    set number = (i * 7919) % 1000000;
    set item = concat('item-', substr(1000000 + number, 2), '-',
      elt(1 + number % 8, 'alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'), '-end');
    set found_at = locate('ch', item);
    set item = replace(item, '-', '::');
    set part = substr(item, 7, 10);
    set checksum = (checksum * 31 + found_at * 1000 + length(item) * 10 + (part > earlier) - (part < earlier))
      % 2147483647;
    set earlier = part;
    set i = i + 1;
  end while;
  select checksum from t141_row where id = 1;
end
