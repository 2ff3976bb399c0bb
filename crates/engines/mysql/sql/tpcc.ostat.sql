-- tpcc: The call of ostat; what it returns goes into variables of the session.
set @os_c_id = :c, @os_c_last = case when :by_name = 1 then concat(elt(:first, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'),
  elt(:second, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'),
  elt(:third, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')) else '' end;
call ostat(:home, :d, @os_c_id, :by_name, @os_c_last, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate,
  @os_o_carrier_id);
