//! The tables, their keys and indexes.

use engine::{Column, ColumnType, Index, Table};

use ColumnType::{Date, Int};

const fn text(size: u32) -> ColumnType {
    ColumnType::Text { size }
}

/// Columns of a table, and those of its key.
type Definition = (&'static [(&'static str, ColumnType)], &'static [&'static str]);

const WAREHOUSE: Definition = (
    &[
        ("w_id", Int),
        ("w_name", text(10)),
        ("w_street_1", text(20)),
        ("w_street_2", text(20)),
        ("w_city", text(20)),
        ("w_state", text(2)),
        ("w_zip", text(9)),
        ("w_tax", Int),
        ("w_ytd", Int),
    ],
    &["w_id"],
);

const DISTRICT: Definition = (
    &[
        ("d_id", Int),
        ("d_w_id", Int),
        ("d_name", text(10)),
        ("d_street_1", text(20)),
        ("d_street_2", text(20)),
        ("d_city", text(20)),
        ("d_state", text(2)),
        ("d_zip", text(9)),
        ("d_tax", Int),
        ("d_ytd", Int),
        ("d_next_o_id", Int),
    ],
    &["d_w_id", "d_id"],
);

const CUSTOMER: Definition = (
    &[
        ("c_id", Int),
        ("c_d_id", Int),
        ("c_w_id", Int),
        ("c_first", text(16)),
        ("c_middle", text(2)),
        ("c_last", text(16)),
        ("c_street_1", text(20)),
        ("c_street_2", text(20)),
        ("c_city", text(20)),
        ("c_state", text(2)),
        ("c_zip", text(9)),
        ("c_phone", text(16)),
        ("c_since", Date),
        ("c_credit", text(2)),
        ("c_credit_lim", Int),
        ("c_discount", Int),
        ("c_balance", Int),
        ("c_ytd_payment", Int),
        ("c_payment_cnt", Int),
        ("c_delivery_cnt", Int),
        ("c_data", text(500)),
    ],
    &["c_w_id", "c_d_id", "c_id"],
);

const HISTORY: Definition = (
    &[
        ("h_c_id", Int),
        ("h_c_d_id", Int),
        ("h_c_w_id", Int),
        ("h_d_id", Int),
        ("h_w_id", Int),
        ("h_date", Date),
        ("h_amount", Int),
        ("h_data", text(24)),
    ],
    &[],
);

const NEW_ORDER: Definition =
    (&[("no_o_id", Int), ("no_d_id", Int), ("no_w_id", Int)], &["no_w_id", "no_d_id", "no_o_id"]);

const ORDERS: Definition = (
    &[
        ("o_id", Int),
        ("o_d_id", Int),
        ("o_w_id", Int),
        ("o_c_id", Int),
        ("o_entry_d", Date),
        ("o_carrier_id", Int),
        ("o_ol_cnt", Int),
        ("o_all_local", Int),
    ],
    &["o_w_id", "o_d_id", "o_id"],
);

const ORDER_LINE: Definition = (
    &[
        ("ol_o_id", Int),
        ("ol_d_id", Int),
        ("ol_w_id", Int),
        ("ol_number", Int),
        ("ol_i_id", Int),
        ("ol_supply_w_id", Int),
        ("ol_delivery_d", Date),
        ("ol_quantity", Int),
        ("ol_amount", Int),
        ("ol_dist_info", text(24)),
    ],
    &["ol_w_id", "ol_d_id", "ol_o_id", "ol_number"],
);

const ITEM: Definition =
    (&[("i_id", Int), ("i_im_id", Int), ("i_name", text(24)), ("i_price", Int), ("i_data", text(50))], &["i_id"]);

const STOCK: Definition = (
    &[
        ("s_i_id", Int),
        ("s_w_id", Int),
        ("s_quantity", Int),
        ("s_dist_01", text(24)),
        ("s_dist_02", text(24)),
        ("s_dist_03", text(24)),
        ("s_dist_04", text(24)),
        ("s_dist_05", text(24)),
        ("s_dist_06", text(24)),
        ("s_dist_07", text(24)),
        ("s_dist_08", text(24)),
        ("s_dist_09", text(24)),
        ("s_dist_10", text(24)),
        ("s_ytd", Int),
        ("s_order_cnt", Int),
        ("s_remote_cnt", Int),
        ("s_data", text(50)),
    ],
    &["s_w_id", "s_i_id"],
);

/// The names by number: a script has no text of its own.
const LAST_NAME: Definition = (&[("n_id", Int), ("n_last", text(16))], &["n_id"]);

/// The table `name`, which is one of these.
pub(super) fn table(name: &str) -> Table {
    let (columns, key) = match name {
        "warehouse" => WAREHOUSE,
        "district" => DISTRICT,
        "customer" => CUSTOMER,
        "history" => HISTORY,
        "new_order" => NEW_ORDER,
        "orders" => ORDERS,
        "order_line" => ORDER_LINE,
        "item" => ITEM,
        "stock" => STOCK,
        _ => LAST_NAME,
    };
    let column = |(name, kind): &(&str, ColumnType)| Column::new(*name, *kind);
    Table {
        name: name.to_owned(),
        columns: columns.iter().map(column).collect(),
        key: names(key),
        indexes: indexes(name),
        compressed: false,
        partitions: None,
        is_updated: true,
    }
}

/// Bytes of a row of the table `name` as it is sent: numbers of eight bytes, texts of three quarters of their longest.
pub(super) fn row_bytes(name: &str) -> u64 {
    let bytes = |column: &Column| match column.kind {
        ColumnType::Text { size } => u64::from(size) * 3 / 4,
        _ => 8,
    };
    table(name).columns.iter().map(bytes).sum()
}

/// Customers by name, and the orders of a customer.
fn indexes(name: &str) -> Vec<Index> {
    let index = |name: &str, columns: &[&str]| vec![Index { name: name.to_owned(), columns: names(columns) }];
    match name {
        "customer" => index("customer_name", &["c_w_id", "c_d_id", "c_last", "c_first"]),
        "orders" => index("orders_customer", &["o_w_id", "o_d_id", "o_c_id", "o_id"]),
        _ => Vec::new(),
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
