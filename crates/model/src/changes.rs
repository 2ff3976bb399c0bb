//! Whether runs change data: asked of the waits of engines and of what is compared, which know nothing of each other.

use record::Run;

/// Whether any operation of `run` changes data.
pub(crate) fn changes_anything(run: &Run) -> bool {
    run.changes || run.parameters.get("update_pct").is_some_and(|percent| *percent > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    #[test]
    fn a_part_of_updates_changes_something() {
        let with = |percent: i64| Run {
            changes: false,
            parameters: [("update_pct".to_owned(), percent)].into(),
            ..run("B100", 2)
        };
        assert!(changes_anything(&with(1)) && !changes_anything(&with(0)));
        assert!(changes_anything(&Run { changes: true, ..with(0) }));
    }
}
