//! Scripts that call the procedures of a schema that another program has built.

use engine::Engine;
use record::{Script, Scripts};

use super::error::Mistake;
use crate::sql;

/// The only schema that is known.
const TPCC: &str = "tpcc";

/// The statements of an engine that prepare a session; none where it needs none.
const SESSION: &str = "session";

/// What draws the home warehouse of a job.
const HOME: &str = include_str!("tpcc/home.sql");

/// What draws a customer, by number or by name.
const CUSTOMER: &str = include_str!("tpcc/customer.sql");

/// Its procedures, which are called in the words of an engine, with their weights, and what draws their parameters: of 23 transactions
/// as many as the virtual users of HammerDB choose of each.
const PROCEDURES: [(&str, u32, &[&str]); 5] = [
    ("neword", 10, &[include_str!("tpcc/neword.sql")]),
    ("payment", 10, &[CUSTOMER, include_str!("tpcc/payment.sql")]),
    ("delivery", 1, &[include_str!("tpcc/delivery.sql")]),
    ("slev", 1, &[include_str!("tpcc/slev.sql")]),
    ("ostat", 1, &[CUSTOMER, include_str!("tpcc/ostat.sql")]),
];

/// What their scripts are told: that no warehouse was drawn yet, and their number is not known.
const VARIABLES: [(&str, &str); 3] = [("home", "0"), ("level_district", "1"), ("warehouses", "1")];

/// The script whose committed transactions are a figure per minute, with the name of the figure.
const PER_MINUTE: (&str, &str) = ("schema:tpcc/neword", "NOPM");

/// The scripts for `schema` on `engine`, with the variables that they begin with.
///
/// # Errors
/// Where there are none: what is wrong, and a hint.
pub fn schema_scripts(schema: &str, engine: &dyn Engine) -> Result<Scripts, Mistake> {
    if schema != TPCC {
        return Err(Mistake::new(format!("schema {schema} is not known"), format!("give {TPCC}")));
    }
    let session = match sql::text(engine, TPCC, SESSION, None) {
        Some(statements) => format!("\\if :home = 0\n{statements}\\endif\n"),
        None => String::new(),
    };
    let script = |(name, weight, draws): (&str, u32, &[&str])| {
        let call = sql::text(engine, TPCC, name, None).ok_or_else(|| {
            let hint = "give a target with a schema whose procedures HammerDB has made";
            Mistake::new(format!("schema {TPCC} has no procedures on {}", engine.name()), hint.to_owned())
        })?;
        let text = [&session, HOME, &draws.concat(), call].concat();
        Ok(Script::new(format!("{}{TPCC}/{name}", Script::SCHEMA_PREFIX), weight, text))
    };
    let variables = VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let scripts = PROCEDURES.into_iter().map(script).collect::<Result<_, _>>()?;
    Ok(Scripts { scripts, variables: variables.into(), ..Scripts::default() })
}

/// The name of the figure that the committed transactions of `script` in a minute are.
pub(crate) fn per_minute(script: &str) -> Option<&'static str> {
    (script == PER_MINUTE.0).then_some(PER_MINUTE.1)
}

#[cfg(test)]
mod tests {
    use engine::null::NULL;

    use super::*;

    #[test]
    fn what_no_engine_or_no_schema_has_is_refused() {
        let refused = |schema: &str| schema_scripts(schema, &NULL).unwrap_err();
        assert_eq!(refused("tpch").hint, "give tpcc");
        assert_eq!(refused("tpcc").message, "schema tpcc has no procedures on null");
        assert_eq!(PROCEDURES.iter().map(|(_, weight, _)| weight).sum::<u32>(), 23);
        assert_eq!(per_minute("schema:tpcc/neword"), Some("NOPM"));
    }
}
