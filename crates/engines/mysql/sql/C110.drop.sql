-- C110: what its set-up created.
drop procedure if exists c110_new_order;
drop procedure if exists c110_customer;
drop procedure if exists c110_payment;
drop procedure if exists c110_order_status;
drop procedure if exists c110_delivery;
drop procedure if exists c110_stock_level
