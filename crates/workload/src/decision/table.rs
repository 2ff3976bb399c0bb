//! The tables, their keys and indexes.

use engine::{Column, ColumnType, Index, Table};

use ColumnType::{Date, Int};

const fn text(size: u32) -> ColumnType {
    ColumnType::Text { size }
}

/// An amount of money, a quantity or a share, as wide as clause 1.3.1 asks for.
const MONEY: ColumnType = ColumnType::Decimal { precision: 15, scale: 2 };

/// Columns of a table, and those of its key.
type Definition = (&'static [(&'static str, ColumnType)], &'static [&'static str]);

const REGION: Definition = (&[("r_regionkey", Int), ("r_name", text(25)), ("r_comment", text(152))], &["r_regionkey"]);

const NATION: Definition =
    (&[("n_nationkey", Int), ("n_name", text(25)), ("n_regionkey", Int), ("n_comment", text(152))], &["n_nationkey"]);

const SUPPLIER: Definition = (
    &[
        ("s_suppkey", Int),
        ("s_name", text(25)),
        ("s_address", text(40)),
        ("s_nationkey", Int),
        ("s_phone", text(15)),
        ("s_acctbal", MONEY),
        ("s_comment", text(101)),
    ],
    &["s_suppkey"],
);

const PART: Definition = (
    &[
        ("p_partkey", Int),
        ("p_name", text(55)),
        ("p_mfgr", text(25)),
        ("p_brand", text(10)),
        ("p_type", text(25)),
        ("p_size", Int),
        ("p_container", text(10)),
        ("p_retailprice", MONEY),
        ("p_comment", text(23)),
    ],
    &["p_partkey"],
);

const PARTSUPP: Definition = (
    &[
        ("ps_partkey", Int),
        ("ps_suppkey", Int),
        ("ps_availqty", Int),
        ("ps_supplycost", MONEY),
        ("ps_comment", text(199)),
    ],
    &["ps_partkey", "ps_suppkey"],
);

const CUSTOMER: Definition = (
    &[
        ("c_custkey", Int),
        ("c_name", text(25)),
        ("c_address", text(40)),
        ("c_nationkey", Int),
        ("c_phone", text(15)),
        ("c_acctbal", MONEY),
        ("c_mktsegment", text(10)),
        ("c_comment", text(117)),
    ],
    &["c_custkey"],
);

const ORDERS: Definition = (
    &[
        ("o_orderkey", Int),
        ("o_custkey", Int),
        ("o_orderstatus", text(1)),
        ("o_totalprice", MONEY),
        ("o_orderdate", Date),
        ("o_orderpriority", text(15)),
        ("o_clerk", text(15)),
        ("o_shippriority", Int),
        ("o_comment", text(79)),
    ],
    &["o_orderkey"],
);

const LINEITEM: Definition = (
    &[
        ("l_orderkey", Int),
        ("l_partkey", Int),
        ("l_suppkey", Int),
        ("l_linenumber", Int),
        ("l_quantity", MONEY),
        ("l_extendedprice", MONEY),
        ("l_discount", MONEY),
        ("l_tax", MONEY),
        ("l_returnflag", text(1)),
        ("l_linestatus", text(1)),
        ("l_shipdate", Date),
        ("l_commitdate", Date),
        ("l_receiptdate", Date),
        ("l_shipinstruct", text(25)),
        ("l_shipmode", text(10)),
        ("l_comment", text(44)),
    ],
    &["l_orderkey", "l_linenumber"],
);

/// The names of the tables in the order in which they are loaded. Two of them are those of tables of the order mix without the letter.
pub(super) const NAMES: [&str; 8] =
    ["h_region", "h_nation", "h_supplier", "h_part", "h_partsupp", "h_customer", "h_orders", "h_lineitem"];

/// The table `name`, which is one of these.
pub(super) fn table(name: &str) -> Table {
    let (columns, key) = match name {
        "h_region" => REGION,
        "h_nation" => NATION,
        "h_supplier" => SUPPLIER,
        "h_part" => PART,
        "h_partsupp" => PARTSUPP,
        "h_customer" => CUSTOMER,
        "h_orders" => ORDERS,
        _ => LINEITEM,
    };
    let column = |(name, kind): &(&str, ColumnType)| Column { name: (*name).to_owned(), kind: *kind, nullable: false };
    Table {
        name: name.to_owned(),
        columns: columns.iter().map(column).collect(),
        key: key.iter().map(|name| (*name).to_owned()).collect(),
        indexes: indexes(name),
        compressed: false,
        partitions: None,
        is_updated: false,
    }
}

/// An index for each reference to another table that the key does not begin with, as clause 1.4.2 allows.
fn indexes(name: &str) -> Vec<Index> {
    let columns: &[&[&str]] = match name {
        "h_nation" => &[&["n_regionkey"]],
        "h_supplier" => &[&["s_nationkey"]],
        "h_partsupp" => &[&["ps_suppkey"]],
        "h_customer" => &[&["c_nationkey"]],
        "h_orders" => &[&["o_custkey"]],
        "h_lineitem" => &[&["l_partkey", "l_suppkey"], &["l_suppkey"]],
        _ => &[],
    };
    let index = |columns: &&[&str]| Index {
        name: format!("{name}_{}", columns.join("_")),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    columns.iter().map(index).collect()
}
