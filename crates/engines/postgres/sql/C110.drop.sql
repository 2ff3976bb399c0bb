-- C110: what its set-up created.
drop procedure if exists c110_new_order, c110_payment, c110_order_status, c110_delivery, c110_stock_level;
drop function if exists c110_customer
