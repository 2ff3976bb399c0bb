-- tpcc: The call of payment, whose parameters that return something have values of their types.
call payment(:home, :d, :c_w, :c_d, :by_name, :amount::int, '0',
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :first) ||
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :second) ||
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :third),
  :c, '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '',
  localtimestamp::timestamp, 0.0, 0.0, 0.0, '', localtimestamp::timestamp);
