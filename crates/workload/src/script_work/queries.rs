//! The decision queries as scripts: their parameters are variables, which are set before each execution.

use engine::{Error, Kind, Session};
use measure::Broken;

use crate::decision::{Choose, KnownAnswers, PARAMETERS, substitute};
use crate::script::{Action, CompiledScript, CompiledScripts, Random, SqlStatement, Variables};
use crate::test_context::broken;

/// What a text of a query has more room for than its script has letters: its parameters are longer than their names.
const TEXT_ROOM: usize = 1_000;

/// The parameters of the queries of a job.
pub(crate) struct Queries {
    scale_percent: u32,
    /// The parameters that scripts have, and their places.
    slots: Vec<(&'static str, usize)>,
    /// The most letters of a query.
    length_max: usize,
}

impl Queries {
    /// Those of `scripts`, which are the 22 queries, at a scale of `scale_percent` hundredths.
    pub(super) fn new(scripts: &CompiledScripts, scale_percent: u32) -> Queries {
        let slot = |name: &'static str| Some((name, scripts.names.known_slot(name)?));
        let length = |script: &CompiledScript| statements(script).map(|statement| statement.text().len()).max();
        Queries {
            scale_percent,
            slots: PARAMETERS.into_iter().filter_map(slot).collect(),
            length_max: scripts.scripts.iter().filter_map(length).max().unwrap_or(0),
        }
    }

    /// Makes room for all parameters and texts, so that steps do not allocate.
    pub(super) fn make_room(&self, variables: &mut Variables, sql: &mut String) {
        self.slots.iter().for_each(|(_, slot)| variables.set_text(*slot, format_args!("")));
        sql.reserve(self.length_max + TEXT_ROOM);
        // The words that are drawn from are read at first use.
        self.set(0, &mut Choose::Validation, variables);
    }

    /// Draws the parameters of the script with this index.
    pub(super) fn draw(&self, index: usize, random: &mut Random, variables: &mut Variables) {
        self.set(index, &mut Choose::Drawn(random), variables);
    }

    fn set(&self, index: usize, choose: &mut Choose<'_>, variables: &mut Variables) {
        substitute(index + 1, choose, self.scale_percent, &mut |name, text| {
            if let Some((_, slot)) = self.slots.iter().find(|(known, _)| *known == name) {
                variables.set_text(*slot, text);
            }
        });
    }

    /// Runs all queries with the parameters of validation; nothing where no answers are known at this scale.
    ///
    /// # Errors
    /// The first answer that is another one, and errors of the engine.
    pub(super) fn check(
        &self,
        (scripts, variables): (&CompiledScripts, &mut Variables),
        session: &mut dyn Session,
    ) -> Result<(), Broken> {
        let Some(known) = KnownAnswers::at(self.scale_percent) else { return Ok(()) };
        let mut sql = String::new();
        for (index, script) in scripts.scripts.iter().enumerate() {
            self.set(index, &mut Choose::Validation, variables);
            for statement in statements(script) {
                sql.clear();
                statement.write(variables, &mut sql);
                let answer = session.prepare(&sql).and_then(|prepared| session.query(prepared, &[]));
                let named = |error: Error| Error { message: format!("{}: {}", script.name, error.message), ..error };
                let found = answer.map_err(|error| broken(&named(error)))?;
                if let Some(difference) = known.first_difference(index + 1, &found) {
                    let message = format!("query {} {difference}", script.name);
                    return Err(broken(&Error::new(Kind::Statement, message)));
                }
            }
        }
        Ok(())
    }
}

/// The statements of `script`.
fn statements(script: &CompiledScript) -> impl Iterator<Item = &SqlStatement> {
    script.commands.iter().filter_map(|command| match &command.action {
        Action::Sql(statement) => Some(statement),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine::null::NULL;
    use record::Preset;

    use super::*;
    use crate::data::Sizes;
    use crate::test::QUERIES;

    #[test]
    fn each_query_has_its_parameters_and_no_other_ones() {
        let test = crate::catalogue().iter().find(|test| test.code == "H100").expect("H100");
        let scripts = test.scripts_for(&NULL, &Sizes::derive(Preset::Smoke, None, 42)).expect("scripts");
        let compiled = CompiledScripts::with_drawn(&scripts, 42, &PARAMETERS).expect("they compile");
        let queries = Queries::new(&compiled, 1);
        assert_eq!(queries.slots.len(), PARAMETERS.len(), "each parameter is one of a query");
        let (mut variables, mut sql) = (Variables::new(&compiled.names, 0), String::new());
        queries.make_room(&mut variables, &mut sql);
        let room = sql.capacity();
        let mut random = Random::new(42);
        for (index, script) in compiled.scripts.iter().enumerate() {
            let mut given = BTreeSet::new();
            substitute(index + 1, &mut Choose::Validation, 1, &mut |name, _| assert!(given.insert(name.to_owned())));
            let used: BTreeSet<String> =
                statements(script).flat_map(|statement| crate::sql::bind_names(&unquoted(&statement.text()))).collect();
            assert_eq!(used, given, "{}", script.name);
            for _ in 0..100 {
                queries.draw(index, &mut random, &mut variables);
                sql.clear();
                statements(script).for_each(|statement| statement.write(&variables, &mut sql));
                assert!(!sql.contains(':') && sql.len() <= room, "{sql}");
            }
        }
        assert_eq!(compiled.scripts.len(), QUERIES);
    }

    /// Names in quotes are names too.
    fn unquoted(text: &str) -> String {
        text.replace('\'', " ")
    }
}
