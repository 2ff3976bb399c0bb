//! Errors about parameters of a target, the same for all engines.

use base::similar;

use crate::target::may_hold_password;
use crate::{Error, Kind, Secret, Target};

/// The error for the parameter `name` of `target`, which is none of `known`: with a similar name, or else `hint`.
///
/// After a password in the parameters a name may be the rest of it, where its `&` was not escaped; then it is not shown.
pub fn unknown_parameter(target: &Target, name: &str, known: &[&str], hint: &str) -> Error {
    let near = similar(name, known.iter().copied()).first().map(|near| format!("did you mean {near}?"));
    let may_be_rest = target.password.as_ref().is_some_and(Secret::is_parameter) && near.is_none();
    let is_shown = !may_be_rest && !may_hold_password(name);
    let subject = if is_shown { format!("target parameter {name}") } else { "a target parameter".to_owned() };
    let message = format!("{subject} is unknown; known are {}", known.join(", "));
    let hint = match is_shown {
        true => near.unwrap_or_else(|| hint.to_owned()),
        false => "in a password, & is written %26".to_owned(),
    };
    Error::new(Kind::Usage, message).hint(hint)
}

/// `value` as it stands in an error, or dots where it may hold a password.
pub fn shown(value: &str) -> &str {
    if may_hold_password(value) { "..." } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, name: &str) -> Error {
        unknown_parameter(&text.parse().expect(text), name, &["sslmode", "options"], "see the manual")
    }

    #[test]
    fn a_parameter_is_named_with_what_was_meant() {
        let near = error("x://h/d?sslmod=require", "sslmod");
        assert_eq!(near.message, "target parameter sslmod is unknown; known are sslmode, options");
        assert_eq!(near.hint.as_deref(), Some("did you mean sslmode?"));
        assert_eq!(error("x://h/d?colour=red", "colour").hint.as_deref(), Some("see the manual"));
    }

    #[test]
    fn the_rest_of_a_password_is_not_a_name() {
        let rest = error("x://h/d?password=top&tiger=1", "tiger");
        assert!(!format!("{rest:?}").contains("tiger"), "{rest:?}");
        assert!(rest.hint.is_some_and(|hint| hint.contains("%26")));
        assert_eq!(error("x://u:p@h/d?option=1", "option").hint.as_deref(), Some("did you mean options?"));
        assert_eq!((shown("5432 password=tiger"), shown("soon")), ("...", "soon"));
    }
}
