-- tpcc: The call of slev, whose parameters that return something have values of their types.
call slev(:home, :level_district, :threshold, 0);
