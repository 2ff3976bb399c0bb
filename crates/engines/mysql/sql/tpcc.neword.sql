-- tpcc: The call of neword; what it returns goes into variables of the session.
set @next_o_id = 0;
call neword(:home, :warehouses, :d, :c, :lines, @disc, @last, @credit, @dtax, @wtax, @next_o_id, now());
