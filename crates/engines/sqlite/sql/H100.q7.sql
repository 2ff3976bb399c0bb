-- H100: a date is text, and there is no `extract`: the year is its first four letters.
select supp_nation, cust_nation, l_year, sum(volume) as revenue
  from (select n1.n_name as supp_nation, n2.n_name as cust_nation, cast(substr(l_shipdate, 1, 4) as integer) as l_year,
      l_extendedprice * (1 - l_discount) as volume
    from h_supplier, h_lineitem, h_orders, h_customer, h_nation n1, h_nation n2
    where s_suppkey = l_suppkey and o_orderkey = l_orderkey and c_custkey = o_custkey
      and s_nationkey = n1.n_nationkey and c_nationkey = n2.n_nationkey
      and ((n1.n_name = ':nation1' and n2.n_name = ':nation2')
        or (n1.n_name = ':nation2' and n2.n_name = ':nation1'))
      and l_shipdate between '1995-01-01' and '1996-12-31') shipping
  group by supp_nation, cust_nation, l_year order by supp_nation, cust_nation, l_year;
