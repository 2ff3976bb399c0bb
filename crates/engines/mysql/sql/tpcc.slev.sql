-- tpcc: The call of slev; what it returns goes into a variable of the session.
call slev(:home, :level_district, :threshold, @stock_count);
