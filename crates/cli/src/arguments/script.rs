//! Scripts of pgbench as options.

use std::fs;
use std::num::NonZeroU32;

use base::Wrong;
use clap::Args;
use engine::Engine;
use record::{Gauge, QueryMode, Role, Script, Scripts};
use run::{Error, Result};
use workload::script::{Mistake, builtin_script, name_and_weight, schema_scripts};
use workload::{SCALE_MAX, Test};

use super::{choice, value};

/// Options of scripts.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Scripts of pgbench")]
pub struct ScriptArguments {
    /// Run this script of pgbench, as so large a part of the transactions as its weight is of all weights [default weight: 1]; may
    /// be repeated
    #[arg(long, short = 'f', value_name = "FILE[@WEIGHT]", help_heading = "Scripts of pgbench")]
    pub script: Vec<String>,
    /// Run a script that pgbench brings along: tpcb-like, simple-update or select-only; may be repeated
    #[arg(long, short = 'b', value_name = "NAME[@WEIGHT]", help_heading = "Scripts of pgbench")]
    pub builtin: Vec<String>,
    /// Run scripts that call the procedures of a schema that another program has built: tpcc, as HammerDB builds it on PostgreSQL, MariaDB and MySQL
    #[arg(long, value_name = "SCHEMA", help_heading = "Scripts of pgbench")]
    pub schema: Option<String>,
    /// Define a variable of the scripts; may be repeated
    #[arg(long, short = 'D', value_name = "NAME=VALUE", help_heading = "Scripts of pgbench", value_parser = definition)]
    pub define: Vec<(String, String)>,
    /// Try an execution of a script again that ends by a serialization failure or a deadlock, so often in all; 0 for as often as it
    /// takes [default: 1]
    #[arg(long, value_name = "N", help_heading = "Scripts of pgbench")]
    pub max_tries: Option<u32>,
    /// How statements are sent: as text with values in place, as text with values beside it, or prepared once
    #[arg(long, short = 'M', value_name = "MODE", default_value = "prepared", help_heading = "Scripts of pgbench", value_parser = choice::query_mode())]
    pub query_mode: QueryMode,
    /// Open a session for each execution of a script, and close it at its end
    #[arg(long, short = 'C', help_heading = "Scripts of pgbench")]
    pub connect: bool,
    /// Give a script jobs of its own, which run no other one, and a rate in executions per second of all of them together; may be
    /// repeated
    #[arg(long, value_name = "SCRIPT:jobs=N[,rate=R]", help_heading = "Scripts of pgbench", value_parser = role)]
    pub role: Vec<Role>,
    /// Read a number once a second by a query of one row, while scripts run; may be repeated
    #[arg(long, value_name = "NAME=QUERY", help_heading = "Scripts of pgbench", value_parser = gauge)]
    pub gauge: Vec<Gauge>,
    /// Make the tables of the built-in scripts anew, in the schema of dbdyno
    #[arg(long, short = 'i', help_heading = "Scripts of pgbench")]
    pub initialize: bool,
    /// Scale factor of the built-in scripts: 100,000 accounts each [default: 1]
    #[arg(long, value_name = "N", help_heading = "Scripts of pgbench", value_parser = value::count_32("scale", 1..=SCALE_MAX))]
    pub scale: Option<u32>,
}

impl ScriptArguments {
    /// Whether there are any.
    pub fn has_scripts(&self) -> bool {
        !self.script.is_empty() || !self.builtin.is_empty() || self.schema.is_some()
    }

    /// The scripts, with their texts; none without any. Procedures of a schema are called in the words of `engine`.
    ///
    /// # Errors
    /// Files that cannot be read, unknown names, mistakes in scripts.
    pub fn scripts(&self, engine: &dyn Engine) -> Result<Option<Scripts>> {
        if !self.has_scripts() {
            let option = [
                ("define", !self.define.is_empty()),
                ("initialize", self.initialize),
                ("scale", self.scale.is_some()),
                ("max-tries", self.max_tries.is_some()),
                ("connect", self.connect),
                ("role", !self.role.is_empty()),
                ("gauge", !self.gauge.is_empty()),
                ("query-mode", self.query_mode != QueryMode::default()),
            ];
            return match option.into_iter().find(|(_, is_given)| *is_given) {
                None => Ok(None),
                Some((name, _)) => Err(Error::user(format!("--{name} is given, and no script"))
                    .hint("give --script FILE, --builtin NAME or --schema tpcc, too")),
            };
        }
        let mut scripts = Scripts::default();
        for word in &self.script {
            let (name, weight) = part(name_and_weight(word))?;
            let text = fs::read_to_string(name).map_err(|error| {
                Error::user(format!("script {name} cannot be read: {error}"))
                    .hint("give the path of a file with commands of pgbench, or --builtin NAME")
            })?;
            scripts.scripts.push(Script::new(name, weight, text));
        }
        for word in &self.builtin {
            let (name, weight) = part(name_and_weight(word))?;
            let script = part(builtin_script(name))?;
            let name = format!("{}{}", Script::BUILTIN_PREFIX, script.name);
            scripts.scripts.push(Script::new(name, weight, script.text));
        }
        let of_schema =
            part(self.schema.as_deref().map(|schema| schema_scripts(schema, engine)).transpose())?.unwrap_or_default();
        scripts.scripts.extend(of_schema.scripts);
        (scripts.query_mode, scripts.connect) = (self.query_mode, self.connect);
        scripts.variables = of_schema.variables.into_iter().chain(self.define.iter().cloned()).collect();
        // Without a limit an execution ends when it succeeds, or by another failure.
        scripts.tries_max =
            self.max_tries.filter(|tries| *tries != 1).map(|tries| NonZeroU32::new(tries).unwrap_or(NonZeroU32::MAX));
        match self.scale {
            scale if self.initialize => scripts.initialized_scale = Some(scale.unwrap_or(1)),
            Some(scale) => drop(scripts.variables.insert("scale".to_owned(), scale.to_string())),
            None => {}
        }
        scripts.gauges.clone_from(&self.gauge);
        for role in &self.role {
            give(role, &mut scripts)?;
        }
        Test::of_scripts(&scripts).map_err(|error| Error::user(error.to_string()).hint(error.hint))?;
        Ok(Some(scripts))
    }
}

fn part<T>(read: std::result::Result<T, Mistake>) -> Result<T> {
    read.map_err(|Mistake { message, hint }| Error::user(message).hint(hint))
}

/// Gives `role` to the scripts that have its name.
fn give(role: &Role, scripts: &mut Scripts) -> Result<()> {
    let bare = |name: &str| name.strip_prefix(Script::BUILTIN_PREFIX).unwrap_or(name).to_owned();
    let is_named = |script: &&mut Script| {
        let name = bare(&script.name);
        name == role.name || name.rsplit('/').next() == Some(&role.name)
    };
    let mut named = scripts.scripts.iter_mut().filter(is_named).peekable();
    if named.peek().is_none() {
        let names: Vec<String> = scripts.scripts.iter().map(|script| bare(&script.name)).collect();
        return Err(Error::user(format!("role {} is of no script that is given", role.name))
            .hint(format!("name one of {}", names.join(", "))));
    }
    named.for_each(|script| script.role = Some(role.name.clone()));
    scripts.roles.push(role.clone());
    Ok(())
}

/// A role: the name of its script, its jobs, and its rate if it has one.
fn role(text: &str) -> std::result::Result<Role, Wrong> {
    let wrong = |what: &'static str| Wrong::new("role", text, what, "write --role write.sql:jobs=2,rate=100");
    let (name, settings) = text.rsplit_once(':').ok_or_else(|| wrong("has no jobs"))?;
    let mut role = Role { name: name.to_owned(), jobs: None, rate: None };
    for setting in settings.split(',') {
        match setting.split_once('=') {
            Some(("jobs", count)) => role.jobs = Some(count.parse().map_err(|_| wrong("has no number of jobs"))?),
            Some(("rate", rate)) => {
                role.rate = Some(rate.parse().map_err(|_| wrong("has no rate in executions per second"))?)
            }
            _ => return Err(wrong("has a setting other than jobs and rate")),
        }
    }
    match role.jobs {
        Some(_) => Ok(role),
        None => Err(wrong("has no jobs")),
    }
}

/// A gauge: its name, and its query.
fn gauge(text: &str) -> std::result::Result<Gauge, Wrong> {
    match text.split_once('=') {
        Some((name, sql)) if !name.trim().is_empty() && !sql.trim().is_empty() => {
            Ok(Gauge { name: name.trim().to_owned(), sql: sql.trim().to_owned() })
        }
        _ => Err(Wrong::new("gauge", text, "is no gauge", "write --gauge 'depth=select count(*) from queue'")),
    }
}

/// A definition of a variable.
fn definition(text: &str) -> std::result::Result<(String, String), Wrong> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(Wrong::new("define", text, "is no definition of a variable", "write --define NAME=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(builtin: &[&str], initialize: bool, scale: Option<u32>) -> Result<Option<Scripts>> {
        let builtin = builtin.iter().map(|name| (*name).to_owned()).collect();
        ScriptArguments { builtin, initialize, scale, ..ScriptArguments::default() }.scripts(&sqlite::SQLITE)
    }

    #[test]
    fn procedures_of_a_schema_are_called_in_the_words_of_the_engine() {
        let of = |engine: &dyn Engine| {
            ScriptArguments { schema: Some("tpcc".to_owned()), ..ScriptArguments::default() }.scripts(engine)
        };
        for (engine, time) in [(&postgres::POSTGRES as &dyn Engine, "localtimestamp"), (&mysql::MARIADB, "now()")] {
            let scripts = of(engine).unwrap().unwrap();
            assert_eq!(scripts.scripts.len(), 5);
            assert!(scripts.scripts[0].text.contains(time), "{}", scripts.scripts[0].text);
        }
        let refused = of(&sqlite::SQLITE).unwrap_err().to_string();
        assert!(refused.starts_with("schema tpcc has no procedures on sqlite"), "{refused}");
    }

    #[test]
    fn a_built_in_script_has_its_text_and_the_scale() {
        let scripts = of(&["se@9", "tpcb"], true, Some(3)).unwrap().unwrap();
        let names: Vec<(&str, u32)> =
            scripts.scripts.iter().map(|script| (script.name.as_str(), script.weight)).collect();
        assert_eq!(names, [("builtin:select-only", 9), ("builtin:tpcb-like", 1)]);
        assert_eq!((scripts.initialized_scale, scripts.variables.len()), (Some(3), 0));
        let scripts = of(&["se"], false, Some(3)).unwrap().unwrap();
        assert_eq!((scripts.initialized_scale, scripts.variables["scale"].as_str()), (None, "3"));
        assert_eq!(of(&["se"], true, None).unwrap().unwrap().initialized_scale, Some(1));
    }

    #[test]
    fn options_of_scripts_need_one() {
        assert!(of(&[], false, None).unwrap().is_none());
        assert_eq!(of(&[], true, None).unwrap_err().message, "--initialize is given, and no script");
        assert!(of(&["s"], false, None).unwrap_err().message.contains("several built-in scripts"));
        assert!(of(&["se@x"], false, None).unwrap_err().message.contains("weight `x`"));
        let parsed = role("read.sql:jobs=2,rate=0.5").unwrap();
        assert_eq!(parsed, Role { name: "read.sql".to_owned(), jobs: Some(2), rate: Some(0.5) });
        assert!(role("read.sql").is_err() && role("read.sql:rate=3").is_err() && role("a:jobs=x").is_err());
        assert_eq!(
            gauge("depth = select count(*) from q where a = 1").unwrap().sql,
            "select count(*) from q where a = 1"
        );
        assert!(gauge("select 1").is_err() && gauge("=select 1").is_err());
        assert!(definition("a=b=c").unwrap() == ("a".to_owned(), "b=c".to_owned()) && definition("a").is_err());
    }
}
