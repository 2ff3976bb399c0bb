-- tpcc: The call of delivery, whose parameters that return something have values of their types.
call delivery(:home, :carrier, localtimestamp::timestamp);
