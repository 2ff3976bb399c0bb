//! Invalid input: a clear error, the right exit code, nothing lost and nothing left behind.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use crate::bench::{Bench, Finished};

/// Runs `arguments`, expects `code` and all `words` in the error, and an empty directory afterwards.
fn refused(arguments: &[&str], code: i32, words: &[&str]) -> Finished {
    let bench = Bench::new();
    let output = bench.run(arguments);
    assert_eq!(output.code, code, "{arguments:?}\n{}\n{}", output.out, output.err);
    for word in words {
        assert!(output.err.contains(word), "no {word:?} in {:?}", output.err);
    }
    assert!(output.err.contains("hint: "), "{}", output.err);
    assert!(!output.err.contains("panicked"), "{}", output.err);
    assert!(bench.files().is_empty(), "left behind: {:?}", bench.files());
    output
}

#[test]
fn an_unknown_test() {
    refused(&["run", "--tests", "T999"], 2, &["test T999 is not known", "dbdyno list tests"]);
    // By its code, and by a word of its title.
    let meant = "did you mean T611 (primary key access, 1 row per statement) or ";
    refused(&["run", "--tests", "t612"], 2, &["test t612 is not known", meant]);
    refused(
        &["run", "--tests", "insert"],
        2,
        &["test insert is not known", "T311 (OLTP insert, 2 rows per transaction)"],
    );
    refused(&["run", "--tests", "P111"], 2, &["test P111 is not known"]);
}

#[test]
fn no_degree_of_parallelism() {
    refused(&["run", "--jobs", "0"], 2, &["jobs 0 is not a degree of parallelism", "use 1 or more"]);
    refused(&["run", "--jobs", "-3"], 2, &["jobs -3 is not a whole number"]);
    refused(&["run", "--jobs", "many"], 2, &["jobs many is not a whole number"]);
    refused(&["run", "--jobs", "1,100000"], 2, &["jobs 100000 is more than"]);
}

#[test]
fn invalid_times() {
    refused(&["run", "--seconds", "-1"], 2, &["seconds -1 is not a length of time"]);
    refused(&["run", "--seconds", "0"], 2, &["seconds 0 is less than 1ms"]);
    refused(&["run", "--rate", "0"], 2, &["rate 0 is not a number of steps per second"]);
    refused(&["run", "--think-time", "long"], 2, &["think-time long is not a length of time"]);
    refused(&["run", "--steps", "0"], 2, &["steps 0 is less than 1"]);
}

#[test]
fn targets_that_do_not_parse_or_are_not_known() {
    refused(&["run", "--target", "://"], 2, &["the target does not start with a scheme"]);
    refused(&["run", "--target", "db2://host"], 2, &["engine db2 is not known", "sqlite"]);
    refused(&["run", "--target", "postgres://host:99999/db"], 2, &["port"]);
    refused(&["run", "--target", "sqlite?no_such=1"], 2, &["no_such"]);
    let ask = |target: &str, words: &[&str]| refused(&["inventory", "--target", target], 2, words);
    ask("postgresql://bench@::1/bench", &["target postgresql://... has an IPv6 address", "in brackets, [::1]"]);
    ask("jdbc:postgresql://127.0.0.1/bench", &["begins with jdbc:", "leave out jdbc:"]);
    ask("postgresql+psycopg://127.0.0.1/bench", &["leave out +psycopg"]);
    ask("pg://127.0.0.1/bench", &["engine pg is not known", "did you mean postgres?"]);
}

#[test]
fn parameters_of_clients_are_honoured_or_refused_by_name() {
    // Nobody listens there: what is honoured gets so far.
    for parameter in [
        "user=bench",
        "dbname=bench",
        "hostaddr=127.0.0.1",
        "target_session_attrs=any",
        "gssencmode=disable",
        "keepalives=1",
        "channel_binding=require",
        "options=-csearch_path%3Dx",
        "sslmode=allow",
    ] {
        let target = format!("postgresql://127.0.0.1:1/bench?{parameter}");
        refused(&["inventory", "--target", &target], 1, &["no PostgreSQL server responds at 127.0.0.1 port 1"]);
    }
    let target = "mysql://u@127.0.0.1:1/b?ssl-mode=REQUIRED";
    refused(&["inventory", "--target", target], 1, &["no MariaDB or MySQL server responds at 127.0.0.1 port 1"]);
    let ask = |target: &str, words: &[&str]| {
        let said = refused(&["inventory", "--target", target], 2, words).err;
        assert!(!said.contains("on the server"), "{said}");
    };
    ask("postgres://127.0.0.1:1/b?sslcert=/c/c.crt", &["sslcert /c/c.crt cannot be read"]);
    ask("postgres://127.0.0.1:1/b?work_mem=1GB", &["parameter work_mem is unknown", "options=-c%20work_mem%3DVALUE"]);
    ask("mysql://127.0.0.1:1/b?ssl-modus=REQUIRED", &["parameter ssl-modus is unknown", "did you mean ssl-mode?"]);
    ask("oracle://u:p@127.0.0.1:1/b?sga=1", &["parameter sga is unknown"]);
}

#[test]
fn a_password_is_never_repeated() {
    let output = refused(&["run", "--target", "postgres://me:s3cret@host:99999/db"], 2, &["port"]);
    assert!(!output.err.contains("s3cret") && !output.out.contains("s3cret"), "{}", output.err);
    let url = "postgres://me:s3cret@db1/shop";
    for arguments in [
        &["inventory", "--target", "Server=h;Uid=u;Pwd=s3cret;"][..],
        &["inventory", "--target", "oracle://bench/s3cret@db1/service"],
        &["inventory", "--target", "bench/s3cret@//db1:1521/svc"],
        &["inventory", "--target", "mysql://bench:TOP/s3cret"],
        &["inventory", "--target", "@postgres://me:s3cret@db1/shop"],
        &["pair", "--a", "me:s3cret@tcp(db1:3306)/shop", "--b", "sqlite", "--tests", "T611"],
        &["pair", "--a", "sqlite", "--b", "jdbc:mysql://me:s3cret@db1/shop", "--tests", "T611"],
        // At the wrong place, and in words of a string that was not quoted.
        &["inventory", "--target", "host=h", "password=s3cret", "user=bench"],
        &["run", url],
        &["report", url],
        &["load", url, "--target", "sqlite", "--layout", url],
        &["inventory", "--format", url],
        &["run", "--record", url, "--resume"],
        &["run", "--target", "postgres://db1/shop", "--observe", "db1 password=s3cret"],
        &["run", "--target", "postgres://db1/shop", "--observe", "db1 x via=\"env PGPASSWORD=s3cret ssh\""],
    ] {
        let bench = Bench::new();
        let output = bench.run(arguments);
        assert!(output.code != 0, "{arguments:?}");
        assert!(!output.err.contains("s3cret") && !output.out.contains("s3cret"), "{arguments:?}: {}", output.err);
        assert!(!output.err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_string_of_keywords_is_a_target_and_its_password_is_not_repeated() {
    let target = "host=127.0.0.1 port=1 password=s3cret user=bench";
    let output = refused(&["inventory", "--target", target], 1, &["no PostgreSQL server responds at 127.0.0.1 port 1"]);
    assert!(!output.err.contains("s3cret"), "{}", output.err);
}

#[test]
fn a_refused_connection_is_reported() {
    // A port that was free just before.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let target = format!("postgres://me@127.0.0.1:{port}/db");
    refused(&["run", "--target", &target], 1, &[&port.to_string()]);
}

#[test]
fn somebody_else_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::Write;
        for stream in listener.incoming() {
            let _ = stream.and_then(|mut stream| stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n"));
        }
    });
    let target = format!("postgres://me@127.0.0.1:{port}/db?sslmode=disable");
    refused(&["run", "--target", &target], 1, &[&port.to_string()]);
}

#[test]
fn a_directory_that_is_none_or_cannot_be_written() {
    let bench = Bench::new();
    fs::write(bench.path().join("file"), "").unwrap();
    let output = bench.run(&["run", "--dir", "file"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("file is not a directory") && output.err.contains("hint: "), "{}", output.err);
    let output = bench.run(&["run", "--dir", "/proc"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.err.contains("/proc"), "{}", output.err);
    assert_eq!(bench.files().len(), 1, "{:?}", bench.files());
}

#[test]
fn a_directory_that_is_misspelt_is_not_made() {
    refused(&["run", "--dir", "misspelt"], 2, &["misspelt is not a directory"]);
}

#[test]
fn a_link_is_not_followed() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("other")).unwrap();
    std::os::unix::fs::symlink("other", bench.path().join("dbdyno-data")).unwrap();
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "T611"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.err.contains("is a link"), "{}", output.err);
    assert!(bench.path().join("other").is_dir());
}

#[test]
fn a_directory_of_somebody_else() {
    let bench = Bench::new();
    fs::create_dir(bench.path().join("dbdyno-data")).unwrap();
    fs::write(bench.path().join("dbdyno-data/letter"), "dear").unwrap();
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "T611"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("was not created by dbdyno"), "{}", output.err);
    assert!(bench.path().join("dbdyno-data/letter").exists());
}

#[test]
fn a_record_that_exists_is_not_overwritten() {
    let bench = Bench::new();
    fs::write(bench.path().join("r.json"), "precious").unwrap();
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "T611", "--record", "r.json"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("r.json exists"), "{}", output.err);
    assert_eq!(fs::read_to_string(bench.path().join("r.json")).unwrap(), "precious");
}

#[test]
fn a_record_that_cannot_be_written() {
    refused(&["run", "--tests", "C11", "--record", "/proc/r.json"], 1, &["/proc/r.json"]);
    refused(&["run", "--tests", "C11", "--record", "no/such/r.json"], 1, &["no/such"]);
}

#[test]
fn records_that_are_none() {
    let bench = Bench::new();
    for (text, word) in
        [("", "empty.json"), ("{}", "empty.json"), ("{\"schema_version\": 1}", "empty.json"), ("[", "empty.json")]
    {
        fs::write(bench.path().join("empty.json"), text).unwrap();
        let output = bench.run(&["report", "empty.json"]);
        assert_eq!(output.code, 2, "{text:?}: {}", output.err);
        assert!(output.err.contains(word), "{}", output.err);
    }
    let output = bench.run(&["report", "none.json"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("none.json"), "{}", output.err);
}

#[test]
fn a_record_of_a_newer_schema() {
    let bench = Bench::new();
    let head = "{\"head\":{\"format\":\"dbdyno record\",\"schema_version\":99,\"whatever\":true}}\n";
    fs::write(bench.path().join("new.json"), head).unwrap();
    for arguments in [vec!["report", "new.json"], vec!["run", "--resume", "new.json"]] {
        let output = bench.run(&arguments);
        assert_eq!(output.code, 2, "{}", output.err);
        assert!(output.err.contains("schema version 99, this dbdyno reads up to version "), "{}", output.err);
    }
}

#[test]
fn a_test_file_with_an_unknown_key() {
    let bench = Bench::new();
    fs::write(bench.path().join("mine.toml"), "code = \"T900\"\nsumary = \"a slip\"\n").unwrap();
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "mine.toml"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("mine.toml") && output.err.contains("sumary"), "{}", output.err);
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "./none.toml"]);
    assert_eq!(output.code, 2, "{}", output.err);
    assert!(output.err.contains("none.toml"), "{}", output.err);
}

#[test]
fn a_full_disk() {
    // A file system of 1 MiB, if the tests may mount one.
    let bench = Bench::new();
    let small = bench.path().join("small");
    fs::create_dir(&small).unwrap();
    fs::set_permissions(&small, fs::Permissions::from_mode(0o777)).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&small)
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        // Only root can mount; as root this test must not be skipped.
        assert!(!rustix::process::getuid().is_root(), "a small file system could not be mounted");
        return;
    }
    let output = bench.run(&["run", "--preset", "smoke", "--tests", "T616", "--dir", "small", "--record", "r.json"]);
    let left: Vec<_> = small.read_dir().unwrap().collect();
    let unmounted = std::process::Command::new("umount").arg(&small).status();
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    assert!(output.err.contains("hint: "), "{}", output.err);
    assert!(left.is_empty(), "{left:?}");
    assert!(unmounted.is_ok());
}
