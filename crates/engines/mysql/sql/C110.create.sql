-- C110: the transactions of the order mix, each a procedure that is one transaction. One that fails leaves it open: who called it rolls it back,
-- because no handler of a procedure runs where its statement was killed.
drop procedure if exists c110_new_order;
drop procedure if exists c110_customer;
drop procedure if exists c110_payment;
drop procedure if exists c110_order_status;
drop procedure if exists c110_delivery;
drop procedure if exists c110_stock_level;
create procedure c110_new_order(
  home bigint, warehouses bigint, place bigint, buyer bigint, line_count bigint, items bigint)
begin
  declare ends_unknown boolean default rand() < 0.01;
  declare all_local boolean default true;
  declare number bigint default 1;
  declare entered, of_item, supply, quantity, price, discount, tax, own_tax bigint;
  declare buyer_name varchar(16);
  declare credit varchar(2);
  declare information varchar(24);
  start transaction;
  select c_discount, c_last, c_credit, w_tax into discount, buyer_name, credit, tax from customer, warehouse
    where w_id = home and c_w_id = home and c_d_id = place and c_id = buyer;
  select d_next_o_id, d_tax into entered, own_tax from district where d_w_id = home and d_id = place for update;
  update district set d_next_o_id = entered + 1 where d_w_id = home and d_id = place;
  while number <= line_count do
    set of_item = if(number = line_count and ends_unknown, items + 1, 1 + floor(rand() * items));
    set supply = if(rand() < 0.01, 1 + floor(rand() * warehouses), home);
    set all_local = all_local and supply = home;
    set quantity = 1 + floor(rand() * 10);
    set price = coalesce((select i_price from item where i_id = of_item), 0);
    update stock set
      s_quantity = case when s_quantity >= quantity + 10 then s_quantity - quantity else s_quantity - quantity + 91 end,
      s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + if(supply = home, 0, 1)
      where s_w_id = supply and s_i_id = of_item;
    set information = coalesce((select case place when 1 then s_dist_01 when 2 then s_dist_02 when 3 then s_dist_03
      when 4 then s_dist_04 when 5 then s_dist_05 when 6 then s_dist_06 when 7 then s_dist_07
      when 8 then s_dist_08 when 9 then s_dist_09 else s_dist_10 end
      from stock where s_w_id = supply and s_i_id = of_item), '');
    insert into order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity,
        ol_amount, ol_dist_info)
      values (entered, place, home, number, of_item, supply, '1970-01-01', quantity, quantity * price, information);
    set number = number + 1;
  end while;
  insert into orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (entered, place, home, buyer, current_date, 0, line_count, all_local);
  insert into new_order (no_o_id, no_d_id, no_w_id) values (entered, place, home);
  commit;
end;
-- The customer of a name: the one in the middle of those that have it, by first name. A name below 0 is none.
create procedure c110_customer(home bigint, place bigint, name bigint, inout buyer bigint)
begin
  declare middle, matching bigint;
  declare wanted varchar(16);
  if name >= 0 then
    set wanted = (select n_last from last_name where n_id = name);
    set matching = (select count(*) from customer where c_w_id = home and c_d_id = place and c_last = wanted);
    set middle = (matching - 1) div 2;
    select c_id into buyer from customer where c_w_id = home and c_d_id = place and c_last = wanted
      order by c_first, c_id limit middle, 1;
  end if;
end;
create procedure c110_payment(
  home bigint, place bigint, of_home bigint, of_place bigint, buyer bigint, name bigint, amount bigint)
begin
  declare title varchar(10);
  declare street, second_street, city varchar(20);
  declare state varchar(2);
  declare zip varchar(9);
  start transaction;
  update warehouse set w_ytd = w_ytd + amount where w_id = home;
  select w_name, w_street_1, w_street_2, w_city, w_state, w_zip into title, street, second_street, city, state, zip
    from warehouse where w_id = home;
  update district set d_ytd = d_ytd + amount where d_w_id = home and d_id = place;
  select d_name, d_street_1, d_street_2, d_city, d_state, d_zip into title, street, second_street, city, state, zip
    from district where d_w_id = home and d_id = place;
  call c110_customer(of_home, of_place, name, buyer);
  update customer set c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = if(c_credit = 'BC',
      substr(concat_ws(' ', buyer, of_place, of_home, place, home, amount, c_data), 1, 500), c_data)
    where c_w_id = of_home and c_d_id = of_place and c_id = buyer;
  insert into history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (buyer, of_place, of_home, place, home, current_date, amount, 'payment');
  commit;
end;
create procedure c110_order_status(home bigint, place bigint, buyer bigint, name bigint)
begin
  declare balance, last, line_count, total bigint;
  declare first_name, surname varchar(16);
  declare middle_name varchar(2);
  start transaction;
  call c110_customer(home, place, name, buyer);
  select c_balance, c_first, c_middle, c_last into balance, first_name, middle_name, surname from customer
    where c_w_id = home and c_d_id = place and c_id = buyer;
  set last = (select max(o_id) from orders where o_w_id = home and o_d_id = place and o_c_id = buyer);
  select count(ol_i_id + ol_supply_w_id + ol_quantity), sum(ol_amount) into line_count, total from order_line
    where ol_w_id = home and ol_d_id = place and ol_o_id = last;
  commit;
end;
-- The oldest new order of a district is locked before it is delivered: another delivery waits, and takes the next one.
create procedure c110_delivery(home bigint, carrier bigint)
begin
  declare place bigint default 1;
  declare delivered, payer, total bigint;
  start transaction;
  while place <= 10 do
    set delivered = null;
    select no_o_id into delivered from new_order where no_w_id = home and no_d_id = place
      order by no_o_id limit 1 for update;
    if delivered is not null then
      delete from new_order where no_w_id = home and no_d_id = place and no_o_id = delivered;
      update orders set o_carrier_id = carrier where o_w_id = home and o_d_id = place and o_id = delivered;
      set payer = (select o_c_id from orders where o_w_id = home and o_d_id = place and o_id = delivered);
      update order_line set ol_delivery_d = current_date where ol_w_id = home and ol_d_id = place and ol_o_id = delivered;
      set total = (select sum(ol_amount) from order_line where ol_w_id = home and ol_d_id = place and ol_o_id = delivered);
      update customer set c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
        where c_w_id = home and c_d_id = place and c_id = payer;
    end if;
    set place = place + 1;
  end while;
  commit;
end;
create procedure c110_stock_level(home bigint, place bigint, threshold bigint)
begin
  declare low bigint;
  start transaction;
  select count(distinct s_i_id) into low from district, order_line, stock
    where d_w_id = home and d_id = place and ol_w_id = home and ol_d_id = place
      and ol_o_id < d_next_o_id and ol_o_id >= d_next_o_id - 20
      and s_w_id = home and s_i_id = ol_i_id and s_quantity < threshold;
  commit;
end
