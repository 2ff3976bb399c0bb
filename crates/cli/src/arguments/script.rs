//! Scripts of pgbench as options.

use std::fs;

use base::Wrong;
use clap::Args;
use record::{Script, Scripts};
use run::{Error, Result};
use workload::Test;
use workload::script::{Mistake, SCALE_MAX, builtin_script, name_and_weight};

use super::value;

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
    /// Define a variable of the scripts; may be repeated
    #[arg(long, short = 'D', value_name = "NAME=VALUE", help_heading = "Scripts of pgbench", value_parser = definition)]
    pub define: Vec<(String, String)>,
    /// Make the tables of the built-in scripts anew, in the schema of dbdyno
    #[arg(long, short = 'i', help_heading = "Scripts of pgbench")]
    pub initialize: bool,
    /// Scale factor of the built-in scripts: 100,000 accounts each [default: 1]
    #[arg(long, value_name = "N", help_heading = "Scripts of pgbench", value_parser = value::count_32("scale", 1..=SCALE_MAX))]
    pub scale: Option<u32>,
}

impl ScriptArguments {
    /// The scripts, with their texts; none without any.
    ///
    /// # Errors
    /// Files that cannot be read, unknown names, mistakes in scripts.
    pub fn scripts(&self) -> Result<Option<Scripts>> {
        if self.script.is_empty() && self.builtin.is_empty() {
            let option =
                [("define", !self.define.is_empty()), ("initialize", self.initialize), ("scale", self.scale.is_some())];
            return match option.into_iter().find(|(_, is_given)| *is_given) {
                None => Ok(None),
                Some((name, _)) => Err(Error::user(format!("--{name} is given, and no script"))
                    .hint("give --script FILE or --builtin NAME, too")),
            };
        }
        let mut scripts = Scripts::default();
        for word in &self.script {
            let (name, weight) = part(name_and_weight(word))?;
            let text = fs::read_to_string(name).map_err(|error| {
                Error::user(format!("script {name} cannot be read: {error}"))
                    .hint("give the path of a file with commands of pgbench, or --builtin NAME")
            })?;
            scripts.scripts.push(Script { name: name.to_owned(), weight, text });
        }
        for word in &self.builtin {
            let (name, weight) = part(name_and_weight(word))?;
            let script = part(builtin_script(name))?;
            let name = format!("{}{}", Script::BUILTIN_PREFIX, script.name);
            scripts.scripts.push(Script { name, weight, text: script.text.to_owned() });
        }
        scripts.variables = self.define.iter().cloned().collect();
        match self.scale {
            scale if self.initialize => scripts.initialized_scale = Some(scale.unwrap_or(1)),
            Some(scale) => drop(scripts.variables.insert("scale".to_owned(), scale.to_string())),
            None => {}
        }
        Test::of_scripts(&scripts).map_err(|error| Error::user(error.to_string()).hint(error.hint))?;
        Ok(Some(scripts))
    }
}

fn part<T>(read: std::result::Result<T, Mistake>) -> Result<T> {
    read.map_err(|Mistake { message, hint }| Error::user(message).hint(hint))
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
        ScriptArguments { builtin, initialize, scale, ..ScriptArguments::default() }.scripts()
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
        assert!(definition("a=b=c").unwrap() == ("a".to_owned(), "b=c".to_owned()) && definition("a").is_err());
    }
}
