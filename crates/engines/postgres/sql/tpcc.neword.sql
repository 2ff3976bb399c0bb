-- tpcc: The call of neword, whose parameters that return something have values of their types.
call neword(:home, :warehouses, :d, :c, :lines, 0.0, '', '', 0.0, 0.0, 0, localtimestamp::timestamp);
