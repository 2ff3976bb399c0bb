//! Roles: which jobs run which of the scripts, and at which pace.

use record::{Pace, Role, Scripts};

use super::error::ScriptError;

/// A part of the jobs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledRole {
    /// As it was given; absent of the jobs that run the scripts without a role.
    pub role: Option<Role>,
    /// The indexes of its scripts, with their weights.
    scripts: Vec<(usize, u32)>,
    /// The sum of the weights, which is not 0.
    pub weights: u64,
}

/// The place of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RolePlace {
    /// The index of its role.
    pub role: usize,
    /// Its number among the jobs of the role, from 0.
    pub number: u32,
    /// The jobs of the role.
    pub jobs: u32,
}

impl CompiledRole {
    /// The script at `draw`, which is below the sum of the weights.
    #[inline]
    pub(crate) fn at(&self, draw: u64) -> usize {
        let mut left = draw;
        for (index, weight) in &self.scripts {
            match left.checked_sub((*weight).into()) {
                Some(rest) => left = rest,
                None => return *index,
            }
        }
        self.scripts.last().map_or(0, |(index, _)| *index)
    }

    /// Its only script.
    #[inline]
    pub(crate) fn only(&self) -> Option<usize> {
        match self.scripts.as_slice() {
            [(index, _)] => Some(*index),
            _ => None,
        }
    }

    /// A deck of cards, which are indexes of scripts: of each as many as its weight.
    pub(crate) fn deck(&self) -> Vec<u32> {
        self.scripts.iter().flat_map(|(index, weight)| std::iter::repeat_n(*index as u32, *weight as usize)).collect()
    }

    /// Whether it runs the script with this index.
    pub(crate) fn runs(&self, script: usize) -> bool {
        self.scripts.iter().any(|(index, _)| *index == script)
    }

    /// Its pace, where it has one of its own.
    pub(crate) fn pace(&self) -> Option<Pace> {
        self.role.as_ref()?.rate.map(|steps_per_second| Pace::Poisson { steps_per_second })
    }
}

/// The roles of `scripts`: those with a number of jobs, and at last the one that has the jobs that are left.
pub(super) fn compiled_roles(scripts: &Scripts) -> Result<Vec<CompiledRole>, ScriptError> {
    check_names(scripts)?;
    let of = |role: Option<&Role>| {
        let each = scripts.scripts.iter().enumerate();
        let own = each.filter(|(_, script)| script.role.as_deref() == role.map(|role| role.name.as_str()));
        let own: Vec<(usize, u32)> = own.map(|(index, script)| (index, script.weight)).collect();
        let weights = own.iter().map(|(_, weight)| u64::from(*weight)).sum();
        CompiledRole { role: role.cloned(), scripts: own, weights }
    };
    let (fixed, left): (Vec<&Role>, Vec<&Role>) = scripts.roles.iter().partition(|role| role.jobs.is_some());
    let without = of(None);
    let rest = match (without.scripts.is_empty(), left.as_slice()) {
        (false, []) => without,
        (true, [one]) => of(Some(one)),
        (false, [one, ..]) => {
            let hint = "give it a number of jobs, or give each script a role";
            return Err(mistake(
                &one.name,
                "it has no number of jobs, and the jobs that are left run the others",
                hint,
            ));
        }
        (true, []) => {
            let first = scripts.roles.first().map_or("", |role| &role.name);
            return Err(mistake(
                first,
                "every role has a number of jobs",
                "leave it out of the role that is to have the rest",
            ));
        }
        (true, [_, second, ..]) => {
            return Err(mistake(&second.name, "two roles have no number of jobs", "give it to all roles but one"));
        }
    };
    let roles: Vec<CompiledRole> = fixed.into_iter().map(|role| of(Some(role))).chain([rest]).collect();
    roles.iter().try_for_each(|role| check(role, scripts))?;
    Ok(roles)
}

fn mistake(name: &str, message: &str, hint: &str) -> ScriptError {
    let origin = if name.is_empty() { String::new() } else { format!("role {name}") };
    ScriptError { origin, line: None, message: message.to_owned(), hint: hint.to_owned() }
}

/// Whether each name of a role is that of one role.
fn check_names(scripts: &Scripts) -> Result<(), ScriptError> {
    let is = |name: &str| scripts.roles.iter().filter(|role| role.name == name).count();
    if let Some(role) = scripts.roles.iter().find(|role| is(&role.name) > 1) {
        return Err(mistake(&role.name, "the name is given twice", "give each role a name of its own"));
    }
    let unknown = scripts.scripts.iter().filter_map(|script| script.role.as_deref()).find(|name| is(name) == 0);
    match unknown {
        None => Ok(()),
        Some(name) => {
            Err(mistake(name, "a script has it, and it is not declared", "declare it, with its jobs or its rate"))
        }
    }
}

fn check(compiled: &CompiledRole, scripts: &Scripts) -> Result<(), ScriptError> {
    let name = compiled.role.as_ref().map_or("", |role| &role.name);
    let Role { jobs, rate, .. } = compiled.role.clone().unwrap_or_default();
    if jobs == Some(0) {
        return Err(mistake(name, "jobs 0 is no number of jobs", "use 1 or more"));
    }
    if let Some(rate) = rate.filter(|rate| !rate.is_finite() || *rate <= 0.0) {
        return Err(mistake(
            name,
            &format!("rate {rate} is no rate of steps per second"),
            "use a number above 0, such as 100",
        ));
    }
    match (compiled.scripts.is_empty(), compiled.weights, name) {
        (true, _, _) => Err(mistake(name, "no script has it", "give it to a script")),
        (false, 0, "") => {
            let origin =
                compiled.scripts.first().map_or_else(String::new, |(index, _)| scripts.scripts[*index].name.clone());
            let message = "the sum of all weights is 0".to_owned();
            let hint = "give one of the scripts a weight above 0, as FILE@1".to_owned();
            Err(ScriptError { origin, line: None, message, hint })
        }
        (false, 0, _) => {
            Err(mistake(name, "the sum of the weights of its scripts is 0", "give one of them a weight above 0"))
        }
        (false, _, _) => Ok(()),
    }
}

/// The place of job `job` of `jobs`: the first jobs are those of the roles with a number of jobs, in their order.
pub(crate) fn place_of(roles: &[CompiledRole], job: u32, jobs: u32) -> RolePlace {
    let mut before = 0;
    for (role, compiled) in roles.iter().enumerate() {
        let own = compiled.role.as_ref().and_then(|role| role.jobs);
        let own = own.unwrap_or(jobs.saturating_sub(before)).max(1);
        if job < before.saturating_add(own) || role + 1 == roles.len() {
            return RolePlace { role, number: job.saturating_sub(before), jobs: own };
        }
        before = before.saturating_add(own);
    }
    RolePlace { role: 0, number: job, jobs }
}

#[cfg(test)]
mod tests {
    use record::Script;

    use super::*;

    fn scripts(roles: &[(&str, Option<u32>, Option<f64>)], of: &[(Option<&str>, u32)]) -> Scripts {
        let role = |(name, jobs, rate): &(&str, Option<u32>, Option<f64>)| Role {
            name: (*name).to_owned(),
            jobs: *jobs,
            rate: *rate,
        };
        let script = |(role, weight): &(Option<&str>, u32)| Script {
            name: "s".to_owned(),
            weight: *weight,
            text: String::new(),
            role: role.map(str::to_owned),
        };
        Scripts {
            scripts: of.iter().map(script).collect(),
            roles: roles.iter().map(role).collect(),
            ..Scripts::default()
        }
    }

    #[test]
    fn the_first_jobs_are_those_of_roles_and_the_others_run_the_rest() {
        let given = scripts(
            &[("rest", None, None), ("write", Some(2), Some(50.0))],
            &[(Some("rest"), 3), (Some("write"), 1), (Some("rest"), 1)],
        );
        let roles = compiled_roles(&given).unwrap();
        let places: Vec<(usize, u32, u32)> =
            (0..5).map(|job| place_of(&roles, job, 5)).map(|place| (place.role, place.number, place.jobs)).collect();
        assert_eq!(places, [(0, 0, 2), (0, 1, 2), (1, 0, 3), (1, 1, 3), (1, 2, 3)]);
        assert_eq!(roles[0].pace(), Some(Pace::Poisson { steps_per_second: 50.0 }));
        assert_eq!((roles[1].pace(), roles[1].weights, roles[0].only()), (None, 4, Some(1)));
        assert_eq!((0..4).map(|draw| roles[1].at(draw)).collect::<Vec<usize>>(), [0, 0, 0, 2]);
        assert_eq!(roles[1].deck(), [0, 0, 0, 2]);
        assert!(roles[0].runs(1) && !roles[0].runs(0));
    }

    #[test]
    fn scripts_without_roles_are_run_by_all_jobs() {
        let roles = compiled_roles(&scripts(&[], &[(None, 1), (None, 1)])).unwrap();
        assert_eq!(place_of(&roles, 3, 4), RolePlace { role: 0, number: 3, jobs: 4 });
        assert_eq!((roles.len(), roles[0].pace(), roles[0].role.clone()), (1, None, None));
    }

    #[test]
    fn mistakes_are_named() {
        let of = |roles: &[(&str, Option<u32>, Option<f64>)], scripts_of: &[(Option<&str>, u32)]| {
            compiled_roles(&scripts(roles, scripts_of)).unwrap_err().message
        };
        let (a, b) = (Some("a"), Some("b"));
        assert!(of(&[("a", Some(1), None)], &[(a, 1)]).contains("every role has a number of jobs"));
        assert!(of(&[("a", None, None)], &[(a, 1), (None, 1)]).contains("the jobs that are left run the others"));
        assert!(of(&[("a", None, None), ("b", None, None)], &[(a, 1), (b, 1)]).contains("two roles"));
        assert!(of(&[("a", Some(1), None), ("a", None, None)], &[(a, 1)]).contains("twice"));
        assert!(of(&[], &[(a, 1)]).contains("not declared"));
        assert!(of(&[("a", Some(0), None)], &[(a, 1), (None, 1)]).contains("jobs 0"));
        assert!(of(&[("a", Some(1), Some(-1.0))], &[(a, 1), (None, 1)]).contains("rate -1"));
        assert!(of(&[("a", Some(1), None)], &[(None, 1)]).contains("no script has it"));
        assert!(of(&[("a", Some(1), None)], &[(a, 0), (None, 1)]).contains("of its scripts is 0"));
        assert!(of(&[], &[(None, 0)]).contains("the sum of all weights is 0"));
    }
}
