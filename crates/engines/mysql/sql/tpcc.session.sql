-- tpcc: The sessions of HammerDB commit by themselves alone: delivery commits once for each district.
set autocommit = 0;
