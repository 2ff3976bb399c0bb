//! Scripts as a test, so that they are planned, paced, searched, repeated and compared as any other one.

use engine::{Caps, Engine};
use record::{Layer, Script, Scripts, Sweep, Unit};

use crate::script::{Action, Answer, Command, CompiledScript, CompiledScripts, Control, ScriptError, SqlStatement};
use crate::test::{Amount, Test};

/// The code of the test that scripts are.
pub const SCRIPTS_CODE: &str = "X100";

/// The most letters of its summary that fit the sheet.
const SUMMARY_MAX: usize = 60;

impl Test {
    /// `scripts` as one test: a step is a transaction of pgbench, one execution of a script.
    ///
    /// # Errors
    /// Where a script has a mistake: file, line, what is wrong, and a hint.
    pub fn of_scripts(scripts: &Scripts) -> Result<Test, ScriptError> {
        CompiledScripts::new(scripts, 0)?;
        Ok(Test {
            code: SCRIPTS_CODE.to_owned(),
            layer: Layer::Database,
            summary: summary(scripts),
            answers: "How many executions of these scripts there are in a second, and how long one takes.".to_owned(),
            not: "Which statement of a script takes how long.".to_owned(),
            cost: "What the scripts do to their tables.".to_owned(),
            limits: "A transaction is one execution of a script, with its pauses.".to_owned(),
            unit: Unit::Transaction,
            operations: Amount::Literal(1),
            rows: None,
            row_bytes: None,
            sweep: Sweep::Jobs,
            parallel: None,
            tables: Vec::new(),
            cache: None,
            needs: Vec::new(),
            ceiling: None,
            single_block_reads: false,
            transaction: false,
            connect: false,
            checkpoints: None,
            param: Default::default(),
            table: Vec::new(),
            setup: Vec::new(),
            statement: Vec::new(),
            schema: None,
            mix: Vec::new(),
            choice: Default::default(),
            tries_max: None,
            role: Vec::new(),
            gauge: Vec::new(),
            calls_commit_once: false,
            jobs_max: None,
            condition: Vec::new(),
            bulk: None,
            teardown: Vec::new(),
            scripts: Some(scripts.clone()),
        })
    }

    /// Its scripts, if it is one of scripts.
    pub fn scripts(&self) -> Option<&Scripts> {
        self.scripts.as_ref()
    }

    /// Its scripts, or its mix, which were compiled before.
    fn compiled(&self) -> Option<CompiledScripts> {
        CompiledScripts::new(&self.any_scripts()?, 0).ok()
    }

    /// Whether one of its scripts has a statement that changes the database, by its first word.
    pub(crate) fn scripts_change(&self) -> bool {
        let Some(compiled) = self.compiled() else { return false };
        compiled.statements().any(SqlStatement::writes)
    }

    /// Whether it changes the database, and some of its transactions may change nothing: those of scripts that read outside of a
    /// transaction, or in one of their own.
    pub fn reads_too(&self) -> bool {
        let writes = |script: &CompiledScript| script.commands.iter().try_fold(None, writes_so_far) == Some(None);
        self.changes() && self.compiled().is_some_and(|compiled| !compiled.scripts.iter().all(writes))
    }

    /// Whether each statement of its scripts is one commit at most.
    pub(crate) fn scripts_commit_once(&self) -> bool {
        self.compiled().is_some_and(|compiled| compiled.statements().all(|statement| !statement.commits_itself))
    }

    /// What its scripts need and `engine` has not, as the object of "has".
    pub(crate) fn missing_for_scripts(&self, caps: &Caps, engine: &dyn Engine) -> Option<&'static str> {
        let compiled = self.compiled()?;
        let commands = || compiled.scripts.iter().flat_map(|script| &script.commands);
        if commands().any(|command| command.action == Action::StartPipeline) && !engine.about().pipelines {
            return Some("no pipelines, which a script uses");
        }
        let keeps = compiled.statements().any(|statement| statement.answer != Answer::Dropped);
        match keeps {
            true if !caps.answers => Some("no answers, which a script keeps"),
            true if !caps.column_names => Some("no names of columns, which a script keeps answers by"),
            _ => None,
        }
    }
}

/// Whether the open transaction writes, if one is open, after `command`; `None` where a transaction may change nothing.
fn writes_so_far(open: Option<bool>, command: &Command) -> Option<Option<bool>> {
    let Action::Sql(statement) = &command.action else {
        // What is behind a condition may be left out.
        let is_condition = matches!(command.action, Action::JumpUnless { .. } | Action::Jump(_));
        return (!is_condition).then_some(open);
    };
    let writes = statement.writes();
    match (statement.control, open) {
        (Control::Begin { .. }, _) => Some(Some(false)),
        (Control::Commit { .. }, Some(false)) => None,
        (Control::Commit { .. } | Control::Rollback { .. }, _) => Some(None),
        (Control::None, Some(before)) => Some(Some(before || writes)),
        (Control::None, None) => writes.then_some(None),
    }
}

/// The names of `scripts`, with their weights where there are several.
fn summary(scripts: &Scripts) -> String {
    let name = |path: &str| {
        let path = path.strip_prefix(Script::BUILTIN_PREFIX).unwrap_or(path);
        path.rsplit('/').next().unwrap_or(path).to_owned()
    };
    let text = match scripts.scripts.as_slice() {
        [one] => format!("script {}", name(&one.name)),
        all => {
            let each: Vec<String> =
                all.iter().map(|script| format!("{}@{}", name(&script.name), script.weight)).collect();
            format!("scripts {}", each.join(", "))
        }
    };
    match text.chars().count() > SUMMARY_MAX {
        true => text.chars().take(SUMMARY_MAX - 3).chain("...".chars()).collect(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(texts: &[(&str, u32, &str)]) -> Scripts {
        let script = |(name, weight, text): &(&str, u32, &str)| Script::new(*name, *weight, *text);
        Scripts { scripts: texts.iter().map(script).collect(), ..Scripts::default() }
    }

    #[test]
    fn a_test_of_scripts_is_called_by_their_names() {
        let summary_of = |texts: &[(&str, u32, &str)]| Test::of_scripts(&scripts(texts)).expect("a test").summary;
        assert_eq!(summary_of(&[("/home/me/read.sql", 1, "select 1;")]), "script read.sql");
        let two = [("read.sql", 9, "select 1;"), ("write.sql", 1, "select 1;")];
        assert_eq!(summary_of(&two), "scripts read.sql@9, write.sql@1");
        let long = "x".repeat(80);
        assert_eq!(summary_of(&[(long.as_str(), 1, "select 1;")]).chars().count(), SUMMARY_MAX);
    }

    #[test]
    fn transactions_that_change_nothing_are_known() {
        let reads_too = |text: &str| Test::of_scripts(&scripts(&[("a", 1, text)])).expect("a test").reads_too();
        let builtin = |name: &str| crate::script::builtin_script(name).expect("a script").text;
        assert!(!reads_too(builtin("tpcb")) && !reads_too(builtin("simple")));
        assert!(!reads_too(builtin("select")), "it changes nothing");
        assert!(!reads_too("update t set a = 1; begin; select 1; delete from t; end;"));
        assert!(reads_too("update t set a = 1; select 1;"));
        assert!(reads_too("begin; select 1; end; update t set a = 1;"));
        assert!(reads_too("\\if :client_id = 0\nupdate t set a = 1;\n\\endif"));
    }

    #[test]
    fn what_changes_the_database_is_told_by_first_words() {
        let changes = |text: &str| Test::of_scripts(&scripts(&[("a", 1, text)])).expect("a test").changes();
        assert!(!changes("/* x */ select 1; begin; (select 2); end;"));
        assert!(changes("begin; select 1; update t set a = 1; end;"));
        assert!(changes("with x as (delete from t) select 1;"));
    }
}
