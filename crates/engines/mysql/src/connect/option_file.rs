//! The option file of the client programs.

use transport::Environment;

/// The value of `name` for all client programs in `~/.my.cnf`.
pub(super) fn option(environment: &Environment, name: &str) -> Option<String> {
    let text = std::fs::read(environment.home()?.join(".my.cnf")).ok()?;
    find(&String::from_utf8_lossy(&text), name)
}

/// The last value of `name` in the group `[client]` of an option file.
fn find(text: &str, name: &str) -> Option<String> {
    let (mut inside, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if let Some(group) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            inside = matches!(group.0, "client" | "client-server");
        } else if inside && let Some((key, value)) = line.split_once('=') {
            // Dashes and underscores are equivalent.
            if key.trim().replace('-', "_") == name {
                found = Some(unquoted(value.trim()).to_owned());
            }
        }
    }
    found
}

fn unquoted(value: &str) -> &str {
    let between = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    between('"').or_else(|| between('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_option_is_read_from_the_groups_of_all_clients_only() {
        let text =
            "[mysqld]\nuser=server\n[client]\nuser = ann\n# password=no\npassword=\"a=b\"\n[mysqldump]\nuser=x\n";
        assert_eq!(find(text, "user").as_deref(), Some("ann"));
        assert_eq!(find(text, "password").as_deref(), Some("a=b"));
        assert_eq!(find(text, "host"), None);
    }

    proptest! {
        #[test]
        fn no_option_file_panics(text in "[\\PC\n]*") {
            let _ = find(&text, "password");
        }
    }
}
