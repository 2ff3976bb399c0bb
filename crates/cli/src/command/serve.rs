//! `dbdyno serve`: the records of a directory in a browser, or the same pages as files.

mod histories;
mod listed;
mod planning;
mod running;
mod views;

use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use run::{Error, Interrupt, Result};
use serve::{Encryption, Index, Runs, ServeSettings};

use self::listed::listed_targets;
use self::running::Runner;
use self::views::RecordViews;
use crate::arguments::value;
use crate::output::{note, print};
use crate::signal;

const NOTE: &str = "\
Pages: the list with filters, each record as `dbdyno report` draws it, comparisons as of `dbdyno compare`,
histories, systems side by side, what is being measured, and a form that ends in a command to copy.
Programs read /api/v1/records and /api/v1/records/ID.

It reads the directory and writes nothing into it but a hidden sign, by which a run knows that
somebody follows it, and, with --allow-notes, the file dbdyno.notes. Histories of dbdyno monitor
(*.db) are shown live. With --allow-run, who knows the token has targets of a file measured:
  [targets]
  crm = \"postgres://bench@db1/crm\"
Elsewhere than on loopback it wants a certificate and a token; `ssh -L 7070:127.0.0.1:7070 HOST` reaches
one that listens on loopback. The price book of RECORD.jsonl is RECORD.prices.toml beside it.

Examples:
  dbdyno serve                                   this directory at http://127.0.0.1:7070/
  dbdyno serve /srv/records --allow-notes        with tags and notes
  dbdyno serve /srv/records --export pages       the same pages as files, for any web server
  dbdyno serve /srv/records --export pages --anonymize
  dbdyno serve --allow-run targets.toml --token-file token
  dbdyno serve --listen 0.0.0.0:7443 --tls-certificate c.pem --tls-key k.pem --token-file token";

/// Options that an export has no use for.
const OF_SERVER: [&str; 7] =
    ["listen", "tls_certificate", "tls_key", "token_file", "host_name", "allow_notes", "allow_run"];

/// The longest file of a token.
const TOKEN_BYTES_MAX: u64 = 4096;

/// Options of `dbdyno serve`.
#[derive(Args, Debug)]
#[command(after_help = NOTE)]
pub struct ServeArguments {
    /// The directory of the records
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
    /// Write the pages as files into this new directory, and end
    #[arg(long, value_name = "OUT", conflicts_with_all = OF_SERVER)]
    pub export: Option<PathBuf>,
    /// Export stand-ins for the names of hosts, addresses, users, paths, labels and serial numbers, and no notes
    #[arg(long, requires = "export")]
    pub anonymize: bool,
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7070", value_parser = value::listen)]
    pub listen: SocketAddr,
    /// Certificate of the server with its chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// File with the token that readers give as password; at least 16 characters
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A name by which the server is addressed, beside its addresses, localhost and the name of this host
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    /// Let readers write tags and notes about records, into the file dbdyno.notes of the directory
    #[arg(long)]
    pub allow_notes: bool,
    /// Let readers who know the token start runs of the targets in this file, one at a time
    #[arg(long, value_name = "TARGETS.toml", requires = "token_file")]
    pub allow_run: Option<PathBuf>,
}

/// Serves until a signal, which is how it ends and no error; or writes the pages as files.
///
/// # Errors
/// Where the directory or a file cannot be read, where it would let anybody read from elsewhere, where an address
/// cannot be listened on, and where files cannot be written.
pub fn serve(arguments: &ServeArguments) -> Result<()> {
    let settings = settings(arguments)?;
    settings.check().map_err(refused)?;
    if let Some(out) = &arguments.export {
        return match arguments.anonymize {
            true => export_anonymized(&arguments.dir, out),
            false => export(&index(&arguments.dir)?, &RecordViews::new(&arguments.dir), out),
        };
    }
    let targets = arguments.allow_run.as_deref().map(listed_targets).transpose()?;
    let runner = targets.map(|targets| Arc::new(Runner::new(&arguments.dir, targets)));
    let index = index(&arguments.dir)?;
    let views = RecordViews::new(&arguments.dir).with_runner(runner.clone());
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let scheme = if settings.encryption.is_some() { "https" } else { "http" };
    if settings.allows_notes {
        note("notes: everybody who reaches this server may write them");
    }
    let mut on_ready = |address: SocketAddr| {
        // A closed standard output is no reason to end.
        let _ = print(&format!("{} at {scheme}://{address}/; Ctrl-C ends it", arguments.dir.display()));
    };
    if let Some(runner) = &runner {
        let names: Vec<&str> = runner.targets().keys().map(String::as_str).collect();
        note(&format!("runs: who knows the token may have {} measured", names.join(", ")));
    }
    let runs = runner.clone().map(|runner| runner as Arc<dyn Runs>);
    let served = serve::serve(&settings, index, Box::new(views), runs, &mut on_ready, &|| interrupt.is_raised());
    if let Some(runner) = runner {
        runner.end();
    }
    served.map_err(refused)
}

fn index(directory: &Path) -> Result<Index> {
    Index::new(directory, reference::published()).map_err(refused)
}

fn export(index: &Index, views: &RecordViews, out: &Path) -> Result<()> {
    let written = serve::export(index, views, out).map_err(refused)?;
    if written.comparisons_left_out > 0 {
        note(&format!("{} comparisons of older records are left out", written.comparisons_left_out));
    }
    print(&format!("{} files in {}; open {}", written.files, out.display(), out.join("index.html").display()))
}

/// Exports what is left of the records without names, by way of a directory that only its owner may read.
fn export_anonymized(directory: &Path, out: &Path) -> Result<()> {
    let place = tempfile::Builder::new().prefix("dbdyno-anonymize").tempdir();
    let place = place.map_err(|error| Error::environment(format!("no directory for records: {error}")))?;
    let written = serve::anonymize(directory, place.path()).map_err(refused)?;
    if written.left_out > 0 {
        note(&format!("{} files that cannot be read, or are read twice, are left out", written.left_out));
    }
    note(
        "names that are written nowhere but in the titles and texts of tests are not known; look at the pages before they go out",
    );
    export(&index(place.path())?, &RecordViews::without_paths(place.path()), out)
}

fn settings(arguments: &ServeArguments) -> Result<ServeSettings> {
    let files = arguments.tls_certificate.clone().zip(arguments.tls_key.clone());
    let own_name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Ok(ServeSettings {
        listen: arguments.listen,
        encryption: files.map(|(certificate, key)| Encryption { certificate, key }),
        token: arguments.token_file.as_deref().map(token).transpose()?,
        names: arguments.host_name.iter().cloned().chain([own_name]).collect(),
        allows_notes: arguments.allow_notes,
    })
}

/// The token in a file, without spaces around it.
fn token(path: &Path) -> Result<String> {
    let shown = path.display();
    let refused = |error| {
        let message = format!("token file {shown} cannot be read: {error}");
        Error::user(message).hint("write one with `openssl rand -hex 16` into a file that only you may read")
    };
    let mut text = String::new();
    let file = File::open(path).map_err(refused)?;
    let mode = file.metadata().map_err(refused)?.mode() & 0o777;
    file.take(TOKEN_BYTES_MAX).read_to_string(&mut text).map_err(refused)?;
    // Who writes it decides who reads the records, and starts runs.
    if mode & 0o022 != 0 {
        let error = Error::user(format!("token file {shown}: mode {mode:o} lets others write it"));
        return Err(error.hint(format!("chmod 600 {shown}")));
    }
    if mode & 0o004 != 0 {
        note(&format!("token file {shown}: mode {mode:o} lets every user of this host read it; chmod 600 {shown}"));
    }
    Ok(text.trim().to_owned())
}

fn refused(error: serve::Error) -> Error {
    match error {
        serve::Error::User { message, hint } => Error::user(message).hint(hint),
        serve::Error::Environment(message) => Error::environment(message),
    }
}
