-- tpcc: The call of payment; what it returns goes into variables of the session.
set @p_c_id = :c, @p_c_last = case when :by_name = 1 then concat(elt(:first, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'),
  elt(:second, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'),
  elt(:third, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')) else '' end,
  @p_c_credit = '0', @p_c_balance = 0;
call payment(:home, :d, :c_w, :c_d, @p_c_id, :by_name, :amount, @p_c_last, @p_w_street_1, @p_w_street_2, @p_w_city,
  @p_w_state, @p_w_zip, @p_d_street_1, @p_d_street_2, @p_d_city, @p_d_state, @p_d_zip, @p_c_first, @p_c_middle,
  @p_c_street_1, @p_c_street_2, @p_c_city, @p_c_state, @p_c_zip, @p_c_phone, @p_c_since, @p_c_credit, @p_c_credit_lim,
  @p_c_discount, @p_c_balance, @p_c_data, now());
