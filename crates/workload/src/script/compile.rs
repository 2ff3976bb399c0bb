//! Scripts, compiled once: variables are places, jumps are indexes, nothing of the text is read again.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use record::{QueryMode, Scripts};

use super::error::{Mistake, ScriptError};
use super::expression::Expression;
use super::meta::{Length, Meta, meta};
use super::names::{DEFAULT_SEED, Meaning, Names, RANDOM_SEED, SCALE, check_name};
use super::role::{CompiledRole, RolePlace, compiled_roles, place_of};
use super::split::{RawBody, RawCommand, split};
use super::statement::{Answer, SqlStatement};
use crate::data::mix;

/// Scripts that share the variables of a job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledScripts {
    pub scripts: Vec<CompiledScript>,
    pub names: Names,
    /// The parts of the jobs; at least one.
    pub roles: Vec<CompiledRole>,
    /// Tries of an execution that ends by a serialization failure or a deadlock.
    pub tries_max: u32,
    pub query_mode: QueryMode,
    /// Whether each execution has a session of its own.
    pub connect: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledScript {
    pub name: String,
    pub weight: u32,
    pub commands: Vec<Command>,
}

/// A command with its line in the script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub line: usize,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Sql(SqlStatement),
    Set {
        slot: usize,
        expression: Expression,
    },
    Sleep {
        length: SleepLength,
        unit_us: i64,
    },
    /// Goes on at the command with this index unless the condition holds.
    JumpUnless {
        condition: Expression,
        to: usize,
    },
    Jump(usize),
    StartPipeline,
    SyncPipeline,
    EndPipeline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SleepLength {
    Fixed(i64),
    Variable(usize),
}

/// A command whose meta command is read.
enum Parsed {
    Sql(RawCommand),
    Meta(usize, Meta),
}

impl CompiledScript {
    /// Whether one of its statements changes the database, by its first word.
    pub(crate) fn writes(&self) -> bool {
        self.commands.iter().any(|command| matches!(&command.action, Action::Sql(statement) if statement.writes()))
    }
}

impl CompiledScripts {
    /// Compiles `scripts`; random numbers are drawn from `seed`.
    pub(crate) fn new(scripts: &Scripts, seed: u64) -> Result<CompiledScripts, ScriptError> {
        CompiledScripts::with_drawn(scripts, seed, &[])
    }

    /// The same where the variables `drawn` are given values before each execution.
    pub(crate) fn with_drawn(scripts: &Scripts, seed: u64, drawn: &[&str]) -> Result<CompiledScripts, ScriptError> {
        if scripts.scripts.is_empty() {
            let (message, hint) = ("there is none".to_owned(), "give a script".to_owned());
            return Err(ScriptError { origin: String::new(), line: None, message, hint });
        }
        let mut names = Names::new(definitions(scripts, seed)?);
        drawn.iter().for_each(|name| names.assign(name));
        let mut parsed = Vec::new();
        for script in &scripts.scripts {
            parsed.push(parse(&script.text, &script.name, &mut names)?);
        }
        let mut compiled = Vec::new();
        for (script, commands) in scripts.scripts.iter().zip(parsed) {
            let commands = Compiler::new(&script.name, &mut names).compile(commands)?;
            compiled.push(CompiledScript { name: script.name.clone(), weight: script.weight, commands });
        }
        let roles = compiled_roles(scripts)?;
        let tries_max = scripts.tries_max.map_or(1, NonZeroU32::get);
        let query_mode = scripts.query_mode;
        check_pipelines(&compiled, query_mode)?;
        Ok(CompiledScripts { scripts: compiled, names, roles, tries_max, query_mode, connect: scripts.connect })
    }

    /// The place of job `job` of `jobs` in the roles.
    pub(crate) fn place_of(&self, job: u32, jobs: u32) -> RolePlace {
        place_of(&self.roles, job, jobs)
    }

    /// The role that runs the script with this index.
    pub(crate) fn role_of(&self, script: usize) -> Option<usize> {
        self.roles.iter().position(|role| role.runs(script))
    }

    /// The statements of all scripts.
    pub(crate) fn statements(&self) -> impl Iterator<Item = &SqlStatement> {
        self.scripts.iter().flat_map(|script| &script.commands).filter_map(|command| match &command.action {
            Action::Sql(statement) => Some(statement),
            _ => None,
        })
    }
}

/// Pipelines are of the extended protocol.
fn check_pipelines(scripts: &[CompiledScript], mode: QueryMode) -> Result<(), ScriptError> {
    let starts = |command: &&Command| command.action == Action::StartPipeline;
    let first = scripts.iter().find_map(|script| Some((script, script.commands.iter().find(starts)?)));
    match first.filter(|_| mode == QueryMode::Simple) {
        None => Ok(()),
        Some((script, command)) => Err(ScriptError {
            origin: script.name.clone(),
            line: Some(command.line),
            message: "a pipeline cannot be of statements that are sent as text alone".to_owned(),
            hint: "give --query-mode extended or prepared".to_owned(),
        }),
    }
}

/// The variables from outside the scripts: those that are defined, and pgbench's own.
fn definitions(scripts: &Scripts, seed: u64) -> Result<BTreeMap<String, String>, ScriptError> {
    let scale = scripts.initialized_scale.unwrap_or(1).to_string();
    // pgbench draws a default seed for each invocation; here it follows from the seed.
    let default_seed = mix(seed) as i64;
    let own = [(SCALE, scale), (RANDOM_SEED, seed.to_string()), (DEFAULT_SEED, default_seed.to_string())];
    let mut all: BTreeMap<String, String> = own.map(|(name, value)| (name.to_owned(), value)).into();
    for (name, value) in &scripts.variables {
        check_name(name).map_err(|Mistake { message, hint }| {
            let origin = scripts.scripts.first().map_or("", |script| script.name.as_str());
            ScriptError { origin: origin.to_owned(), line: None, message, hint }
        })?;
        all.insert(name.clone(), value.clone());
    }
    Ok(all)
}

/// The commands of `text`; the variables that they set are noted in `names`.
fn parse(text: &str, origin: &str, names: &mut Names) -> Result<Vec<Parsed>, ScriptError> {
    let mut commands = Vec::new();
    for command in split(text, origin)? {
        let line = command.line;
        let read = match command.body {
            RawBody::Sql { .. } => Parsed::Sql(command),
            RawBody::Meta(text) => Parsed::Meta(line, meta(&text).map_err(|mistake| mistake.at(origin, line))?),
        };
        match &read {
            Parsed::Meta(_, Meta::Set { name, .. }) => names.assign(name),
            Parsed::Meta(_, Meta::Row { prefix } | Meta::LastRows { prefix }) => names.assign_columns(prefix),
            _ => {}
        }
        commands.push(read);
    }
    match commands.is_empty() {
        false => Ok(commands),
        true => Err(ScriptError {
            origin: origin.to_owned(),
            line: None,
            message: "it has no command".to_owned(),
            hint: "write a statement, ended by a semicolon".to_owned(),
        }),
    }
}

/// An open `\if`.
struct Branches {
    line: usize,
    /// The jump over the branch that is being read; absent after `\else`.
    next: Option<usize>,
    /// The jumps at the ends of the branches before.
    ends: Vec<usize>,
}

struct Compiler<'a> {
    origin: &'a str,
    names: &'a mut Names,
    commands: Vec<Command>,
    open: Vec<Branches>,
}

impl<'a> Compiler<'a> {
    fn new(origin: &'a str, names: &'a mut Names) -> Compiler<'a> {
        Compiler { origin, names, commands: Vec::new(), open: Vec::new() }
    }

    fn compile(mut self, parsed: Vec<Parsed>) -> Result<Vec<Command>, ScriptError> {
        // How many of the last commands were sent together, by `\;`: an `\aset` is of all of them.
        let mut together = 0;
        let mut continues = false;
        for one in parsed {
            match one {
                Parsed::Sql(RawCommand { line, body: RawBody::Sql { pieces, goes_on } }) => {
                    let statement = SqlStatement::new(&pieces, self.names);
                    self.push(line, Action::Sql(statement));
                    together = if continues { together + 1 } else { 1 };
                    continues = goes_on;
                }
                Parsed::Sql(_) => {}
                Parsed::Meta(line, meta) => {
                    self.meta(line, meta, together).map_err(|mistake| mistake.at(self.origin, line))?;
                    (together, continues) = (0, false);
                }
            }
        }
        match self.open.pop() {
            None => Ok(self.commands),
            Some(Branches { line, .. }) => {
                Err(Mistake::new("\\if has no \\endif", "end it with \\endif").at(self.origin, line))
            }
        }
    }

    fn push(&mut self, line: usize, action: Action) -> usize {
        self.commands.push(Command { line, action });
        self.commands.len() - 1
    }

    fn meta(&mut self, line: usize, meta: Meta, together: usize) -> Result<(), Mistake> {
        match meta {
            Meta::Set { name, expression } => {
                let expression = Expression::parse(&expression, self.names)?;
                let slot = self.names.slot(&name);
                self.push(line, Action::Set { slot, expression });
            }
            Meta::If(condition) => {
                let next = Some(self.jump_unless(line, &condition)?);
                self.open.push(Branches { line, next, ends: Vec::new() });
            }
            Meta::ElseIf(condition) => {
                self.end_branch(line, "elif")?;
                let next = self.jump_unless(line, &condition)?;
                self.open.last_mut().into_iter().for_each(|branches| branches.next = Some(next));
            }
            Meta::Else => self.end_branch(line, "else")?,
            Meta::EndIf => {
                let Some(Branches { next, ends, .. }) = self.open.pop() else { return Err(outside("endif")) };
                next.into_iter().chain(ends).for_each(|jump| self.land(jump));
            }
            Meta::Sleep { length, unit_us } => {
                let length = match length {
                    Length::Fixed(number) => SleepLength::Fixed(number),
                    Length::Variable(name) => self.sleep_length(&name)?,
                };
                self.push(line, Action::Sleep { length, unit_us });
            }
            Meta::StartPipeline => drop(self.push(line, Action::StartPipeline)),
            Meta::SyncPipeline => drop(self.push(line, Action::SyncPipeline)),
            Meta::EndPipeline => drop(self.push(line, Action::EndPipeline)),
            Meta::Row { prefix } => self.keep("gset", together.min(1), &Answer::Row(prefix))?,
            Meta::LastRows { prefix } => self.keep("aset", together, &Answer::LastRow(prefix))?,
        }
        Ok(())
    }

    fn sleep_length(&mut self, name: &str) -> Result<SleepLength, Mistake> {
        match self.names.meaning(name) {
            Some(Meaning::Slot(slot)) => Ok(SleepLength::Variable(slot)),
            Some(Meaning::Constant(text)) => text.trim().parse().map(SleepLength::Fixed).map_err(|_| {
                Mistake::new(format!("variable {name} is `{text}`, and no length"), "define it as a whole number")
            }),
            None => Err(Mistake::new(
                format!("variable {name} is never set"),
                format!("set it before with \\set {name}, or define it with --define {name}=VALUE"),
            )),
        }
    }

    /// Lets the answers of the last `together` statements become variables.
    fn keep(&mut self, name: &str, together: usize, answer: &Answer) -> Result<(), Mistake> {
        if together == 0 {
            let message = format!("\\{name} does not follow a statement");
            return Err(Mistake::new(message, "write it right after the statement whose answer it is of"));
        }
        let from = self.commands.len().saturating_sub(together);
        for command in &mut self.commands[from..] {
            if let Action::Sql(statement) = &mut command.action {
                statement.answer = answer.clone();
            }
        }
        Ok(())
    }

    fn jump_unless(&mut self, line: usize, condition: &str) -> Result<usize, Mistake> {
        let condition = Expression::parse(condition, self.names)?;
        Ok(self.push(line, Action::JumpUnless { condition, to: 0 }))
    }

    /// Ends a branch, so that another one can follow.
    fn end_branch(&mut self, line: usize, name: &str) -> Result<(), Mistake> {
        let Some(branches) = self.open.last_mut() else { return Err(outside(name)) };
        let Some(next) = branches.next.take() else {
            return Err(Mistake::new(format!("\\{name} follows \\else"), "let \\else be the last branch"));
        };
        let end = self.push(line, Action::Jump(0));
        self.open.last_mut().into_iter().for_each(|branches| branches.ends.push(end));
        self.land(next);
        Ok(())
    }

    /// Lets the jump at `index` lead to the next command.
    fn land(&mut self, index: usize) {
        let here = self.commands.len();
        if let Some(Command { action: Action::Jump(to) | Action::JumpUnless { to, .. }, .. }) =
            self.commands.get_mut(index)
        {
            *to = here;
        }
    }
}

fn outside(name: &str) -> Mistake {
    Mistake::new(format!("\\{name} is outside of \\if"), "begin with \\if EXPRESSION")
}
