//! What a login demands of its authentication: `require_auth` and `channel_binding` of libpq.

use engine::{Error, Kind, Result, shown};

/// The methods by which a server may authenticate the client, in the words of libpq.
const METHODS: [&str; 6] = ["password", "md5", "gss", "sspi", "scram-sha-256", "none"];

/// `channel_binding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ChannelBinding {
    /// Never.
    Disable,
    /// Where both sides can.
    #[default]
    Prefer,
    /// A login without it fails.
    Require,
}

impl ChannelBinding {
    pub(super) fn of(given: Option<&str>) -> Result<ChannelBinding> {
        match given.unwrap_or("prefer") {
            "disable" => Ok(ChannelBinding::Disable),
            "prefer" => Ok(ChannelBinding::Prefer),
            "require" => Ok(ChannelBinding::Require),
            other => {
                let message =
                    format!("channel_binding {} is unknown; known are disable, prefer, require", shown(other));
                Err(Error::new(Kind::Usage, message)
                    .hint("prefer binds the password to the connection where both sides can"))
            }
        }
    }
}

/// `require_auth`: the methods that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AcceptedMethods {
    accepted: Vec<&'static str>,
}

impl Default for AcceptedMethods {
    fn default() -> AcceptedMethods {
        AcceptedMethods { accepted: METHODS.to_vec() }
    }
}

impl AcceptedMethods {
    /// A list of methods, or of methods with `!` that are not accepted.
    pub(super) fn of(given: Option<&str>) -> Result<AcceptedMethods> {
        let Some(list) = given.filter(|list| !list.is_empty()) else { return Ok(AcceptedMethods::default()) };
        let usage = |message: String| {
            let hint = format!("give a list of {}, or of the same with ! before each", METHODS.join(", "));
            Error::new(Kind::Usage, message).hint(hint)
        };
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        let negated = names.iter().filter(|name| name.starts_with('!')).count();
        if negated != 0 && negated != names.len() {
            return Err(usage("require_auth has methods with and without !".to_owned()));
        }
        if let Some(unknown) = names.iter().find(|name| !METHODS.contains(&name.trim_start_matches('!'))) {
            return Err(usage(format!("require_auth {} is unknown", shown(unknown))));
        }
        let is_named = |method: &&str| names.iter().any(|name| name.trim_start_matches('!') == *method);
        let accepted = METHODS.into_iter().filter(|method| is_named(method) == (negated == 0)).collect();
        Ok(AcceptedMethods { accepted })
    }

    /// Whether `method` is accepted.
    pub(super) fn check(&self, method: &str) -> Result<()> {
        if self.accepted.contains(&method) || !METHODS.contains(&method) {
            return Ok(());
        }
        let what = match method {
            "none" => "accepts the login without authentication".to_owned(),
            method => format!("requests {method} authentication"),
        };
        let message = format!("the server {what}, and require_auth accepts {} only", self.accepted.join(", "));
        Err(Error::new(Kind::Access, message).hint("check that this is the intended server, and its pg_hba.conf"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_listed_or_excluded() {
        let accepts = |list: &str, method: &str| AcceptedMethods::of(Some(list)).unwrap().check(method).is_ok();
        assert!(accepts("scram-sha-256,md5", "md5") && !accepts("scram-sha-256", "md5"));
        assert!(!accepts("!password, !none", "none") && accepts("!password", "md5"));
        assert!(accepts("", "none"));
        for list in ["scram-sha-256,!md5", "kerberos", ","] {
            assert_eq!(AcceptedMethods::of(Some(list)).unwrap_err().kind, Kind::Usage, "{list}");
        }
    }
}
