//! Several files as one history.

use std::io::{BufRead, BufReader, Cursor, Read};

use record::LoadProfile;

use crate::detect::{BEGINNING_BYTES, detect};
use crate::encoding;
use crate::error::{Error, Result};
use crate::form::Form;
use crate::gathered::{Gathered, Names};
use crate::limit::FILES_MAX;
use crate::part::Part;
use crate::{awr_miner, badger, report, statistics_views, status, sysstat};

/// Files that are read one after the other; their order says which of two that tell of the same time is left out.
#[derive(Debug)]
pub struct History {
    gathered: Gathered,
    names: Names,
    file_count: usize,
}

/// What hints say of the forms.
const FORMS: &str = "files are AWR and Statspack reports, AWR Miner, dumps of pg_stat views and of the global status, sadf -j, \
     sar, iostat -x -t, pgBadger's JSON";

impl History {
    /// A history without files.
    pub fn new(names: Names) -> History {
        History { gathered: Gathered::default(), names, file_count: 0 }
    }

    /// Reads a file that the caller calls `name`; nothing of it is taken if it is refused.
    ///
    /// # Errors
    /// Where it cannot be read, is of no known form, or has nothing that can be used.
    pub fn read(&mut self, name: &str, file: impl Read) -> std::result::Result<Form, Error> {
        self.take(file).map_err(|error| error.of(name))
    }

    fn take(&mut self, file: impl Read) -> Result<Form> {
        if self.file_count == FILES_MAX {
            return Err(Error::new(format!("there are more than {FILES_MAX} files"), "give fewer"));
        }
        let mut rest = BufReader::with_capacity(BEGINNING_BYTES, file);
        let mut beginning = Vec::with_capacity(BEGINNING_BYTES);
        rest.by_ref().take(BEGINNING_BYTES as u64).read_to_end(&mut beginning)?;
        if beginning.is_empty() {
            return Err(Error::new("the file is empty", FORMS));
        }
        encoding::check(&beginning)?;
        let form = detect(&beginning).ok_or_else(|| Error::new("the file is of no known form", FORMS))?;
        let parts = parts(form, Cursor::new(beginning).chain(rest))?;
        if parts.is_empty() {
            let hint = "is it complete, and made as its documentation says?";
            return Err(Error::new(format!("the file has no figures of the form {}", form.name()), hint));
        }
        self.gathered.take(parts)?;
        self.file_count += 1;
        Ok(form)
    }

    /// The load profile of what was read.
    ///
    /// # Errors
    /// Where nothing was read.
    pub fn finish(self) -> std::result::Result<LoadProfile, Error> {
        if self.file_count == 0 {
            return Err(Error::new("no file was read", FORMS));
        }
        Ok(self.gathered.profile(self.names))
    }
}

fn parts(form: Form, file: impl BufRead) -> Result<Vec<Part>> {
    match form {
        Form::AwrText | Form::Statspack => report::text(form, file),
        Form::AwrHtml => report::html(file),
        Form::AwrMiner => awr_miner::read(file),
        Form::StatisticsViews => statistics_views::read(file),
        Form::GlobalStatus => status::read(file),
        Form::Sadf => sysstat::sadf(file),
        Form::Sar => sysstat::sar(file),
        Form::Iostat => sysstat::iostat(file),
        Form::IostatJson => sysstat::iostat_json(file),
        Form::Badger => badger::read(file),
    }
}
