-- H100: a date is text, and there is no `extract`: the year is its first four letters.
select nation, o_year, sum(amount) as sum_profit
  from (select n_name as nation, cast(substr(o_orderdate, 1, 4) as integer) as o_year,
      l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
    from h_part, h_supplier, h_lineitem, h_partsupp, h_orders, h_nation
    where s_suppkey = l_suppkey and ps_suppkey = l_suppkey and ps_partkey = l_partkey and p_partkey = l_partkey
      and o_orderkey = l_orderkey and s_nationkey = n_nationkey and p_name like '%:color%') profit
  group by nation, o_year order by nation, o_year desc;
