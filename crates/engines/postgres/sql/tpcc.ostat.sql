-- tpcc: The call of ostat, whose parameters that return something have values of their types.
call ostat(:home, :d, :c, :by_name,
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :first) ||
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :second) ||
  split_part('BAR OUGHT ABLE PRI PRES ESE ANTI CALLY ATION EING', ' ', :third),
  '', '', 0.0, 0, localtimestamp::timestamp, 0, '');
