//! The scripts of a test: those of the user, or those of its mix.

use std::collections::BTreeMap;

use engine::{Engine, Node};
use record::{Gauge, QueryMode, Script, Scripts};

use crate::data::{DataTable, Sizes};
use crate::sql;
use crate::test::amount::Amount;
use crate::test::mix::{MixEntry, Schema};
use crate::test::shape::Test;

impl Test {
    /// Its scripts: those of the user, or those of its mix on tables of `sizes` in the words of `engine`.
    pub(crate) fn scripts_for(&self, engine: &dyn Engine, sizes: &Sizes) -> Option<Scripts> {
        let text = |entry: &MixEntry| {
            let own = sql::text(engine, &self.code, &entry.name, Some(&entry.script));
            own.unwrap_or(&entry.script).to_owned()
        };
        let scope = self.scope(sizes);
        self.scripts.clone().or_else(|| self.of_mix(text, |amount| scope.amount(amount)))
    }

    /// The same for what depends on neither: whether and what it changes.
    pub(crate) fn any_scripts(&self) -> Option<Scripts> {
        self.scripts.clone().or_else(|| self.of_mix(|entry| entry.script.clone(), |_| 1))
    }

    fn of_mix(&self, text: impl Fn(&MixEntry) -> String, value: impl Fn(&Amount) -> i64) -> Option<Scripts> {
        let script = |entry: &MixEntry| Script {
            name: entry.name.clone(),
            weight: entry.weight,
            text: text(entry),
            role: entry.role.clone(),
        };
        let sizes = [
            ("small_rows", Amount::Rows(DataTable::Small)),
            ("large_rows", Amount::Rows(DataTable::Large)),
            ("small_groups", Amount::Groups(DataTable::Small)),
            ("large_groups", Amount::Groups(DataTable::Large)),
        ];
        let sizes = sizes.into_iter().map(|(name, amount)| (name.to_owned(), value(&amount).to_string()));
        let parameters = self.param.keys().map(|name| (name.clone(), value(&Amount::Named(name.clone())).to_string()));
        (!self.mix.is_empty()).then(|| Scripts {
            scripts: self.mix.iter().map(script).collect(),
            variables: sizes.chain(parameters).collect::<BTreeMap<String, String>>(),
            tries_max: self.tries_max,
            roles: self.role.clone(),
            // A query is planned for its parameters, as it would be with none prepared.
            query_mode: if self.is_of_queries() { QueryMode::Simple } else { QueryMode::default() },
            ..Scripts::default()
        })
    }

    /// Whether its steps are scripts: of the user, or of a mix.
    pub fn is_scripted(&self) -> bool {
        self.scripts.is_some() || !self.mix.is_empty()
    }

    /// Statements by which a session on `node` finds the tables of its scripts.
    pub fn user_tables(&self, node: &dyn Node) -> Vec<String> {
        // The tables of built-in scripts are made by dbdyno, in this invocation or an earlier one.
        let is_builtin = |script: &Script| script.name.starts_with(Script::BUILTIN_PREFIX);
        let makes = |scripts: &Scripts| scripts.initialized_scale.is_some() || scripts.scripts.iter().any(is_builtin);
        let has_own = self.scripts.as_ref().is_none_or(makes);
        if self.is_scripted() { node.user_tables(has_own) } else { Vec::new() }
    }

    /// What is read while its jobs work, in the words of `engine`.
    pub fn gauges(&self, engine: &dyn Engine) -> Vec<Gauge> {
        let own = |gauge: &Gauge| {
            let sql = sql::text(engine, &self.code, &gauge.name, Some(&gauge.sql)).unwrap_or(&gauge.sql).to_owned();
            Gauge { sql, ..gauge.clone() }
        };
        self.scripts.as_ref().map_or(&self.gauge, |scripts| &scripts.gauges).iter().map(own).collect()
    }

    /// The fewest jobs that it can have.
    pub fn jobs_min(&self) -> u32 {
        self.any_scripts().map_or(1, |scripts| scripts.jobs_min())
    }

    /// Whether some of its jobs have a rate of their own.
    pub fn has_rates(&self) -> bool {
        self.any_scripts().is_some_and(|scripts| scripts.roles.iter().any(|role| role.rate.is_some()))
    }

    /// Whether its transactions are the decision queries.
    pub(crate) fn is_of_queries(&self) -> bool {
        self.schema == Some(Schema::Decision)
    }

    /// Whether it has conditions that hold around each run.
    pub fn has_conditions(&self) -> bool {
        !self.condition.is_empty()
    }
}
