//! Kernel messages about faults of the machine. Format: the kernel's `Documentation/ABI/testing/dev-kmsg`.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use record::KernelLog;

/// More than the longest message with its properties (`PRINTK_MESSAGE_MAX`).
const MESSAGE_BYTES_MAX: usize = 16 << 10;
/// More messages than the kernel keeps; a limit if it writes continuously.
const MESSAGES_MAX: usize = 1 << 20;
/// The level of warnings; more severe ones have lower numbers.
const WARNING: u32 = 4;
/// Kept messages, and characters of each.
const FAULTS_MAX: usize = 20;
const CHARACTERS_MAX: usize = 200;

/// Patterns of faults, in messages of level warning or more severe. A message has to contain all words of a pattern.
const FAULTS: &[&[&str]] = &[
    &["i/o error"],
    &["medium error"],
    &["hardware error"],
    &["machine check"],
    &["mce:"],
    &["edac", "error"],
    &["nvme", "timeout"],
    &["nvme", "reset"],
    &["exception emask"],
    &["failed command"],
    &["task abort"],
    &["fs error"],
    &["corruption"],
    &["throttled"],
    &["temperature above threshold"],
    &["out of memory"],
    &["oom-kill"],
    &["blocked for more than"],
    &["soft lockup"],
    &["hard lockup"],
    &["rcu", "stall"],
    &["clocksource", "unstable"],
];

/// One message of the kernel log.
struct Message {
    level: u32,
    number: u64,
    text: String,
}

/// Reads the messages in the buffer of the kernel; with `since`, only later ones.
pub(super) fn read(path: &Path, since: Option<&KernelLog>) -> KernelLog {
    match messages(path) {
        Ok(messages) => log(&messages, since),
        Err(error) => KernelLog { unreadable: Some(reason(path, &error)), ..KernelLog::default() },
    }
}

fn reason(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "kernel messages are readable for privileged users only (kernel.dmesg_restrict)".to_owned()
        }
        _ => format!("cannot read {}: {error}", path.display()),
    }
}

/// All messages of the kernel itself. Each read returns one.
fn messages(path: &Path) -> io::Result<Vec<Message>> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let mut buffer = vec![0; MESSAGE_BYTES_MAX];
    let mut messages = Vec::new();
    for _ in 0..MESSAGES_MAX {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => messages.extend(parse(&String::from_utf8_lossy(&buffer[..length]))),
            // Messages were overwritten meanwhile.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(messages)
}

/// `LEVEL,NUMBER,MICROSECONDS,FLAGS;TEXT` and lines of properties. The higher bits of the level are the facility; the
/// kernel is 0.
fn parse(text: &str) -> Option<Message> {
    let (head, text) = text.lines().next()?.split_once(';')?;
    let mut fields = head.split(',');
    let level: u32 = fields.next()?.parse().ok()?;
    let number = fields.next()?.parse().ok()?;
    (level < 8).then(|| Message { level, number, text: text.trim().to_owned() })
}

fn log(messages: &[Message], since: Option<&KernelLog>) -> KernelLog {
    let last_message = messages.iter().map(|message| message.number).max().unwrap_or(0);
    // Lower numbers than before: the machine was rebooted.
    let after = since.filter(|since| since.unreadable.is_none() && since.last_message <= last_message);
    let new = messages.iter().filter(|message| after.is_none_or(|after| message.number > after.last_message));
    let warnings: Vec<&Message> = new.filter(|message| message.level <= WARNING).collect();
    let faults: Vec<&&Message> = warnings.iter().filter(|message| is_fault(&message.text)).collect();
    let kept = faults.iter().take(if since.is_some() { FAULTS_MAX } else { 0 });
    KernelLog {
        unreadable: None,
        last_message,
        warning_count: warnings.len() as u64,
        fault_count: faults.len() as u64,
        faults: kept.map(|message| message.text.chars().take(CHARACTERS_MAX).collect()).collect(),
    }
}

fn is_fault(text: &str) -> bool {
    let text = text.to_lowercase();
    FAULTS.iter().any(|words| words.iter().all(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(records: &[&str]) -> Vec<Message> {
        records.iter().filter_map(|record| parse(record)).collect()
    }

    #[test]
    fn only_later_messages_count_and_only_faults_are_kept() {
        let before = parsed(&["6,1,0,-;Linux version 6.18", "3,2,5,-;I/O error, dev sda, sector 8 op 0x0:(READ)"]);
        let start = log(&before, None);
        assert_eq!((start.last_message, start.warning_count, start.fault_count), (2, 1, 1));
        assert!(start.faults.is_empty(), "messages before the measurement are not kept");
        let after = parsed(&[
            "3,2,5,-;I/O error, dev sda, sector 8 op 0x0:(READ)",
            "4,3,7,-;process `x' is using deprecated calls",
            "2,4,8,-;CPU3: Package temperature above threshold, cpu clock throttled (total events = 1)",
            "3,5,9,-;nvme nvme0: I/O 12 QID 3 timeout, aborting\n SUBSYSTEM=nvme\n",
            "6,6,9,-;mce: CPU supports 22 MCE banks",
            "27,7,9,-;I/O error, of a daemon",
        ]);
        let end = log(&after, Some(&start));
        assert_eq!((end.last_message, end.warning_count, end.fault_count), (6, 3, 2));
        assert_eq!(end.faults.len(), 2);
        assert!(end.faults[1].ends_with("timeout, aborting"), "{:?}", end.faults);
        assert_eq!(
            log(&before, Some(&end)).fault_count,
            1,
            "after a reboot the numbers restart, and all messages are new"
        );
    }

    #[test]
    fn an_unreadable_log_has_a_reason() {
        let log = read(Path::new("/nonexistent"), None);
        assert!(log.unreadable.is_some_and(|reason| reason.starts_with("cannot read /nonexistent")));
        let refused = reason(Path::new("/dev/kmsg"), &io::ErrorKind::PermissionDenied.into());
        assert!(refused.contains("kernel.dmesg_restrict"));
    }

    proptest! {
        #[test]
        fn no_message_panics(text in "([0-9]{0,3},){0,3}[-c];?\\PC*\n?") {
            let _ = parse(&text);
        }
    }
}
