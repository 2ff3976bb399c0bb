-- tpcc: The call of delivery.
call delivery(:home, :carrier, now());
