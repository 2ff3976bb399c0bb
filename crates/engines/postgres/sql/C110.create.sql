-- C110: the transactions of the order mix, each a procedure that is one transaction. Those that change rows take the rows of
-- stock in the order of their keys, so that two of them do not wait for each other.
create or replace procedure c110_new_order(
  home bigint, warehouses bigint, place bigint, buyer bigint, line_count bigint, items bigint)
language plpgsql as $$
declare
  wanted bigint[] := '{}';
  supplies bigint[] := '{}';
  quantities bigint[] := '{}';
  ends_unknown constant boolean := random() < 0.01;
  entered bigint;
begin
  perform c_discount, c_last, c_credit, w_tax from customer, warehouse
    where w_id = home and c_w_id = home and c_d_id = place and c_id = buyer;
  for number in 1 .. line_count loop
    wanted[number] := case when number = line_count and ends_unknown then items + 1 else 1 + floor(random() * items) end;
    supplies[number] := case when random() < 0.01 then 1 + floor(random() * warehouses) else home end;
    quantities[number] := 1 + floor(random() * 10);
  end loop;
  update district set d_next_o_id = d_next_o_id + 1 where d_w_id = home and d_id = place
    returning d_next_o_id - 1 into entered;
  insert into orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (entered, place, home, buyer, current_date, 0, line_count, (home = all (supplies))::int);
  insert into new_order (no_o_id, no_d_id, no_w_id) values (entered, place, home);
  with line as (
    select number, of_item, supply, quantity
      from unnest(wanted, supplies, quantities) with ordinality drawn (of_item, supply, quantity, number)
  ), request as (
    select supply, of_item, sum(quantity)::bigint as quantity, count(*) as orders
      from line group by supply, of_item order by supply, of_item
  ), taken as (
    update stock set
      s_quantity = case when s_quantity >= quantity + 10 then s_quantity - quantity else s_quantity - quantity + 91 end,
      s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + orders,
      s_remote_cnt = s_remote_cnt + case when supply = home then 0 else orders end
      from request where s_w_id = supply and s_i_id = of_item
      returning s_w_id, s_i_id, case place when 1 then s_dist_01 when 2 then s_dist_02 when 3 then s_dist_03
        when 4 then s_dist_04 when 5 then s_dist_05 when 6 then s_dist_06 when 7 then s_dist_07
        when 8 then s_dist_08 when 9 then s_dist_09 else s_dist_10 end as information
  )
  insert into order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity,
      ol_amount, ol_dist_info)
    select entered, place, home, number, of_item, supply, date '1970-01-01', quantity,
      quantity * coalesce(i_price, 0), coalesce(information, '')
      from line left join item on i_id = of_item left join taken on s_w_id = supply and s_i_id = of_item;
end
$$;

-- The customer of a name: the one in the middle of those that have it, by first name. A name below 0 is none.
create or replace function c110_customer(home bigint, place bigint, buyer bigint, name bigint) returns bigint
language plpgsql stable as $$
begin
  if name < 0 then
    return buyer;
  end if;
  return (select c_id from (
      select c_id, row_number() over (order by c_first, c_id) as position, count(*) over () as matching from customer
        where c_w_id = home and c_d_id = place and c_last = (select n_last from last_name where n_id = name)) named
    where position = (matching + 1) / 2);
end
$$;

create or replace procedure c110_payment(
  home bigint, place bigint, of_home bigint, of_place bigint, buyer bigint, name bigint, amount bigint)
language plpgsql as $$
declare
  payer bigint;
begin
  update warehouse set w_ytd = w_ytd + amount where w_id = home;
  perform w_name, w_street_1, w_street_2, w_city, w_state, w_zip from warehouse where w_id = home;
  update district set d_ytd = d_ytd + amount where d_w_id = home and d_id = place;
  perform d_name, d_street_1, d_street_2, d_city, d_state, d_zip from district where d_w_id = home and d_id = place;
  payer := c110_customer(of_home, of_place, buyer, name);
  update customer set c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = case when c_credit = 'BC' then
      substr(concat_ws(' ', payer, of_place, of_home, place, home, amount, c_data), 1, 500) else c_data end
    where c_w_id = of_home and c_d_id = of_place and c_id = payer;
  insert into history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (payer, of_place, of_home, place, home, current_date, amount, 'payment');
end
$$;

create or replace procedure c110_order_status(home bigint, place bigint, buyer bigint, name bigint)
language plpgsql as $$
declare
  asking bigint := c110_customer(home, place, buyer, name);
  last bigint;
begin
  perform c_balance, c_first, c_middle, c_last from customer where c_w_id = home and c_d_id = place and c_id = asking;
  select o_id into last from orders where o_w_id = home and o_d_id = place and o_c_id = asking order by o_id desc limit 1;
  perform ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d from order_line
    where ol_w_id = home and ol_d_id = place and ol_o_id = last;
end
$$;

-- What another one has delivered meanwhile is left out.
create or replace procedure c110_delivery(home bigint, carrier bigint)
language plpgsql as $$
declare
  delivered bigint;
  payer bigint;
  total bigint;
begin
  for place in 1 .. 10 loop
    delete from new_order where no_w_id = home and no_d_id = place
      and no_o_id = (select min(no_o_id) from new_order where no_w_id = home and no_d_id = place)
      returning no_o_id into delivered;
    continue when not found;
    update orders set o_carrier_id = carrier where o_w_id = home and o_d_id = place and o_id = delivered
      returning o_c_id into payer;
    with line as (
      update order_line set ol_delivery_d = current_date
        where ol_w_id = home and ol_d_id = place and ol_o_id = delivered returning ol_amount
    )
    select sum(ol_amount) into total from line;
    update customer set c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
      where c_w_id = home and c_d_id = place and c_id = payer;
  end loop;
end
$$;

create or replace procedure c110_stock_level(home bigint, place bigint, threshold bigint)
language plpgsql as $$
begin
  perform count(distinct s_i_id) from district, order_line, stock
    where d_w_id = home and d_id = place and ol_w_id = home and ol_d_id = place
      and ol_o_id < d_next_o_id and ol_o_id >= d_next_o_id - 20
      and s_w_id = home and s_i_id = ol_i_id and s_quantity < threshold;
end
$$
