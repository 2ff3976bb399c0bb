//! The schema that dbdyno works in: its making, its mark, its end.
//!
//! A schema is a user here. Where the user that measures may make users, dbdyno makes one that nobody can log in as and
//! removes it when it is done. Otherwise an administrator makes a user of that name and dbdyno measures as it: then it
//! works in an empty schema only, and removes what it put there, but not the user.

use std::fs::File;
use std::io::Read;

use engine::{Error, Kind, Result, Session, Value};

use crate::session::OracleSession;

/// The schema.
pub(crate) const SCHEMA: &str = "DBDYNO";

/// A table that says whose the schema is.
const MARK: &str = "DBDYNO_MARK";

/// What its comment begins with, where dbdyno made the user, and where it did not.
const OUR_USER: &str = "dbdyno: the user";
const OUR_TABLES: &str = "dbdyno: the tables";

/// What a user needs to make and to use a schema of another user.
const GRANTS: &str = "grant create user, alter user, drop user, create any table, select any table, insert any table, \
                      update any table, delete any table, drop any table, alter any table, lock any table, comment any \
                      table, create any index, drop any index, create any procedure, execute any procedure, drop any \
                      procedure, analyze any to the user, or let a database administrator make a user DBDYNO with a \
                      quota and the privileges create session, create table, create procedure, and measure as that one";

/// What a claim found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// No such user.
    Nothing,
    /// A user that dbdyno made.
    OurUser,
    /// The user that measures, with tables of dbdyno.
    OurTables,
    /// The user that measures, without anything.
    Empty,
}

/// Makes the schema, or finds it; whether dbdyno made the user.
pub(crate) fn make(session: &mut OracleSession, tablespace: Option<&str>) -> Result<bool> {
    let found = find(session)?;
    match found {
        Found::OurUser => return Ok(true),
        Found::OurTables => return Ok(false),
        Found::Empty => session.batch(&mark(OUR_TABLES).join(";"))?,
        Found::Nothing => {
            let tablespace = match tablespace {
                Some(name) => name.to_owned(),
                None => default_tablespace(session)?,
            };
            session.batch(&create_user(&password()?, &tablespace)).map_err(forbidden)?;
            if let Err(error) = session.batch(&mark(OUR_USER).join(";")) {
                // Without its mark nobody would know whose it is. The first error is the one to tell.
                let _ = session.batch(DROP_USER);
                return Err(forbidden(error));
            }
        }
    }
    Ok(found == Found::Nothing)
}

/// What is there.
pub(crate) fn find(session: &mut OracleSession) -> Result<Found> {
    let rows = session.ask(&find_question())?;
    let [Value::Int(users), comment, Value::Text(who), Value::Int(objects)] =
        rows.first().map_or(&[][..], Vec::as_slice)
    else {
        return Err(Error::new(Kind::Statement, "the dictionary of the server gives no answer that is understood"));
    };
    let (users, objects, is_own) = (*users, *objects, *who == SCHEMA);
    let mark = match comment {
        Value::Text(text) => text.as_ref(),
        _ => "",
    };
    match (users, is_own) {
        (0, _) => Ok(Found::Nothing),
        (_, false) if mark.starts_with(OUR_USER) => Ok(Found::OurUser),
        (_, true) if mark.starts_with(OUR_TABLES) => Ok(Found::OurTables),
        (_, true) if objects == 0 => Ok(Found::Empty),
        (_, false) if mark.starts_with(OUR_TABLES) => {
            let message = format!("user {SCHEMA} was not made by dbdyno, only tables of it were");
            Err(Error::new(Kind::NotOurs, message).hint(format!("measure as user {SCHEMA}")))
        }
        _ => {
            let message = format!("schema {SCHEMA} was not made by dbdyno");
            Err(Error::new(Kind::NotOurs, message)
                .hint(format!("rename it, or, if nothing in it is needed: drop user {SCHEMA} cascade")))
        }
    }
}

/// Holds the schema for this session, until it ends: two measurements would measure each other, and the first to end
/// would remove the schema.
pub(crate) fn hold(session: &mut OracleSession) -> Result<()> {
    session.begin()?;
    session.batch(&hold_statement()).map_err(|error| match error.failure() {
        Some(_) => Error::new(Kind::NotOurs, format!("schema {SCHEMA} is in use by another dbdyno"))
            .hint("wait until it has ended"),
        None => error,
    })
}

/// Removes the schema, or what is in it.
pub(crate) fn remove(session: &mut OracleSession, is_our_user: bool) -> Result<()> {
    session.batch(if is_our_user { DROP_USER } else { DROP_OBJECTS }).map_err(|error| {
        let message = format!("schema {SCHEMA} cannot be removed: {}", error.message);
        Error { message, ..error }.hint(format!("see who uses it, then: drop user {SCHEMA} cascade"))
    })
}

fn forbidden(error: Error) -> Error {
    let message = format!("schema {SCHEMA} cannot be made: {}", error.message);
    match (error.kind, error.code.as_deref()) {
        (Kind::Access, _) => Error { message, ..error }.hint(GRANTS),
        (_, Some("ORA-65096")) => Error { kind: Kind::Usage, message, ..error }
            .hint("this is the root of a container database: name the service of a pluggable database"),
        _ => Error { message, ..error },
    }
}

/// How many such users, the comment of the mark, who asks, and how many objects that one has.
pub(crate) fn find_question() -> String {
    format!(
        "select (select count(*) from all_users where username = '{SCHEMA}'), \
         (select max(comments) from all_tab_comments where owner = '{SCHEMA}' and table_name = '{MARK}'), \
         sys_context('userenv', 'session_user'), (select count(*) from user_objects) from dual"
    )
}

/// Where tables lie that are not told where to.
pub(crate) const TABLESPACE_QUESTION: &str =
    "select property_value from database_properties where property_name = 'DEFAULT_PERMANENT_TABLESPACE'";

/// Everything that belongs to the user goes with it.
pub(crate) const DROP_USER: &str = "drop user DBDYNO cascade";

/// What dbdyno makes in a schema that was empty before.
pub(crate) const DROP_OBJECTS: &str = "\
begin
  for one in (select object_name, object_type from user_objects where object_type in ('TABLE', 'FUNCTION')) loop
    execute immediate 'drop ' || one.object_type || ' \"' || one.object_name || '\"'
      || case one.object_type when 'TABLE' then ' cascade constraints purge' end;
  end loop;
end;";

/// The user, whose password nobody knows and whose account is locked.
pub(crate) fn create_user(password: &str, tablespace: &str) -> String {
    let tablespace = tablespace.replace('"', "");
    format!(
        "create user {SCHEMA} identified by \"{password}\" default tablespace \"{tablespace}\" \
         quota unlimited on \"{tablespace}\" account lock"
    )
}

/// The mark.
pub(crate) fn mark(begin: &str) -> [String; 2] {
    [
        format!("create table {SCHEMA}.{MARK} (id number(1))"),
        format!("comment on table {SCHEMA}.{MARK} is '{begin} of this schema is what dbdyno measures in and removes'"),
    ]
}

/// A session that has just ended may hold it for a moment.
pub(crate) fn hold_statement() -> String {
    format!("lock table {SCHEMA}.{MARK} in exclusive mode wait 2")
}

fn default_tablespace(session: &mut OracleSession) -> Result<String> {
    match session.ask(TABLESPACE_QUESTION)?.first().map(Vec::as_slice) {
        Some([Value::Text(name)]) => Ok(name.clone().into_owned()),
        _ => Err(Error::new(Kind::Usage, "the database has no default tablespace").hint("name one: tablespace=NAME")),
    }
}

/// A password of 27 characters, of all the kinds that rules for passwords ask for.
fn password() -> Result<String> {
    let mut bytes = [0; 12];
    File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes)).map_err(|error| {
        Error::new(Kind::Missing, format!("/dev/urandom cannot be read: {error}")).hint("mount /dev")
    })?;
    Ok(bytes.iter().fold("Db_".to_owned(), |text, byte| format!("{text}{byte:02x}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_another_each_time_and_ends_no_quotes() {
        let (one, two) = (password().unwrap(), password().unwrap());
        assert_ne!(one, two);
        assert!(one.len() == 27 && one.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'), "{one}");
        assert!(create_user("x", "US\"ERS").contains("quota unlimited on \"USERS\" account lock"));
    }

    #[test]
    fn the_two_marks_are_told_apart() {
        assert!(mark(OUR_USER)[1].contains("is 'dbdyno: the user of"));
        assert!(!OUR_USER.starts_with(OUR_TABLES) && !OUR_TABLES.starts_with(OUR_USER));
    }

    #[test]
    fn what_is_not_allowed_says_what_to_grant() {
        let error = forbidden(Error::new(Kind::Access, "insufficient privileges").code("ORA-01031"));
        assert!(error.message.contains("DBDYNO") && error.hint.unwrap().contains("create any table"));
        let root = forbidden(Error::new(Kind::Statement, "invalid common user or role name").code("ORA-65096"));
        assert!(root.kind == Kind::Usage && root.hint.unwrap().contains("pluggable"));
    }
}
