//! The engines that write the forms, as targets name them: the one place of this crate where they are named.

use crate::form::Form;

/// The engine of a form; absent for statistics of a host, and where the form is of several.
pub(crate) fn of(form: Form) -> Option<&'static str> {
    match form {
        Form::AwrText | Form::AwrHtml | Form::Statspack | Form::AwrMiner => Some("oracle"),
        Form::StatisticsViews | Form::Badger => Some("postgres"),
        Form::GlobalStatus | Form::Sadf | Form::Sar | Form::Iostat | Form::IostatJson => None,
    }
}

/// The engine of a server with this status: MariaDB says so in its version, and has a storage engine of its own.
pub(crate) fn of_status(version: Option<&str>, has_aria: bool) -> &'static str {
    let says_so = version.is_some_and(|version| version.to_ascii_lowercase().contains("mariadb"));
    if says_so || has_aria { "mariadb" } else { "mysql" }
}

/// Whether a server with this status counts writes of the log in those of data: MariaDB does not since 10.8.
pub(crate) fn data_writes_include_log(version: Option<&str>, has_aria: bool) -> Option<bool> {
    if of_status(version, has_aria) == "mysql" {
        return Some(true);
    }
    let mut numbers = version?.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    Some((numbers.next()?, numbers.next().unwrap_or(0)) < (10, 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_its_server() {
        assert_eq!(of_status(Some("11.4.2-MariaDB-log"), false), "mariadb");
        assert_eq!(of_status(Some("8.4.0"), false), "mysql");
        assert_eq!(of_status(None, true), "mariadb");
        assert_eq!(data_writes_include_log(Some("8.4.0"), false), Some(true));
        assert_eq!(data_writes_include_log(Some("10.6.18-MariaDB"), true), Some(true));
        assert_eq!(data_writes_include_log(Some("10.11.6-MariaDB-0+deb12u1"), true), Some(false));
        assert_eq!(data_writes_include_log(None, true), None);
    }
}
