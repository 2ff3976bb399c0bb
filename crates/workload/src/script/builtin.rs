//! The scripts that pgbench brings along, written after its documentation ("What Is the Transaction Actually Performed in
//! pgbench?"), and the names by which scripts are asked for.

use super::error::Mistake;

/// A built-in script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinScript {
    /// Its name in pgbench.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// All of them.
pub const BUILTIN_SCRIPTS: [BuiltinScript; 3] = [
    BuiltinScript {
        name: "tpcb-like",
        text: "\
\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
begin;
update pgbench_accounts set abalance = abalance + :delta where aid = :aid;
select abalance from pgbench_accounts where aid = :aid;
update pgbench_tellers set tbalance = tbalance + :delta where tid = :tid;
update pgbench_branches set bbalance = bbalance + :delta where bid = :bid;
insert into pgbench_history (tid, bid, aid, delta, mtime) values (:tid, :bid, :aid, :delta, current_timestamp);
end;
",
    },
    BuiltinScript {
        name: "simple-update",
        text: "\
\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
begin;
update pgbench_accounts set abalance = abalance + :delta where aid = :aid;
select abalance from pgbench_accounts where aid = :aid;
insert into pgbench_history (tid, bid, aid, delta, mtime) values (:tid, :bid, :aid, :delta, current_timestamp);
end;
",
    },
    BuiltinScript {
        name: "select-only",
        text: "\
\\set aid random(1, 100000 * :scale)
select abalance from pgbench_accounts where aid = :aid;
",
    },
];

/// The built-in script called `name`, or the only one whose name begins so.
///
/// # Errors
/// Where there is none, or more than one: what is wrong, and a hint.
pub fn builtin_script(name: &str) -> Result<BuiltinScript, Mistake> {
    let names = || BUILTIN_SCRIPTS.map(|script| script.name).join(", ");
    let exact = BUILTIN_SCRIPTS.into_iter().find(|script| script.name == name);
    let mut begun = BUILTIN_SCRIPTS.into_iter().filter(|script| !name.is_empty() && script.name.starts_with(name));
    match (exact, begun.next(), begun.next()) {
        (Some(script), ..) | (None, Some(script), None) => Ok(script),
        (None, Some(_), Some(_)) => {
            Err(Mistake::new(format!("several built-in scripts begin with {name}"), format!("give one of {}", names())))
        }
        _ => Err(Mistake::new(format!("built-in script {name} is not known"), format!("give one of {}", names()))),
    }
}

/// The name and the weight in `text`: `NAME@WEIGHT`, or a name of weight 1.
///
/// # Errors
/// Where the weight is none: what is wrong, and a hint.
pub fn name_and_weight(text: &str) -> Result<(&str, u32), Mistake> {
    let Some((name, weight)) = text.rsplit_once('@') else { return Ok((text, 1)) };
    let most = i32::MAX as u32;
    match weight.parse::<u32>() {
        Ok(weight) if weight <= most && !name.is_empty() => Ok((name, weight)),
        _ => Err(Mistake::new(
            format!("weight `{weight}` of script {name} is no whole number from 0 to {most}"),
            "write FILE@WEIGHT, such as read.sql@9",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_found_by_the_beginning_of_its_name() {
        assert_eq!(builtin_script("tpcb-like").map(|script| script.name), Ok("tpcb-like"));
        assert_eq!(builtin_script("se").map(|script| script.name), Ok("select-only"));
        assert!(builtin_script("s").unwrap_err().message.contains("several"));
        assert!(builtin_script("").unwrap_err().hint.contains("tpcb-like"));
        assert!(builtin_script("tpch").unwrap_err().message.contains("not known"));
    }

    #[test]
    fn a_weight_follows_the_last_at_sign() {
        assert_eq!(name_and_weight("a@b.sql@9"), Ok(("a@b.sql", 9)));
        assert_eq!(name_and_weight("a.sql"), Ok(("a.sql", 1)));
        assert_eq!(name_and_weight("a.sql@0"), Ok(("a.sql", 0)));
        for text in ["a@", "a@-1", "a@1.5", "a@2147483648", "@1", "a@b"] {
            assert!(name_and_weight(text).is_err(), "{text}");
        }
    }
}
