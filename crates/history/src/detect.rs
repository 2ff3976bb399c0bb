//! Which form a file has, by its beginning.

use crate::encoding::{self, BYTE_ORDER_MARK};
use crate::form::Form;
use crate::statistics_views;

/// Bytes of a file that [`detect`] looks at.
pub const BEGINNING_BYTES: usize = 1 << 16;

/// The form of a file that has this `beginning`, up to [`BEGINNING_BYTES`]; nothing if it is none that is known.
pub fn detect(beginning: &[u8]) -> Option<Form> {
    let beginning = &beginning[..beginning.len().min(BEGINNING_BYTES)];
    let beginning = beginning.strip_prefix(BYTE_ORDER_MARK).unwrap_or(beginning);
    let (text, _) = encoding::text(beginning);
    let text = text.trim_start();
    if text.starts_with('{') {
        return json_form(text);
    }
    if text.contains("~~BEGIN-") {
        return Some(Form::AwrMiner);
    }
    report_form(text).or_else(|| host_form(text)).or_else(|| {
        let is_status = |line: &str| line.trim_start_matches(['|', ' ']).starts_with("Variable_name");
        match text.lines().any(is_status) || text.lines().any(|line| line.starts_with("Aborted_clients\t")) {
            true => Some(Form::GlobalStatus),
            false => text.lines().any(statistics_views::is_header).then_some(Form::StatisticsViews),
        }
    })
}

fn json_form(text: &str) -> Option<Form> {
    let has = |key: &str| text.contains(key);
    if has("\"sysstat\"") {
        let is_iostat = has("\"avg-cpu\"") || has("\"disk_device\"");
        return Some(if is_iostat { Form::IostatJson } else { Form::Sadf });
    }
    let keys = ["per_minute_info", "normalyzed_info", "overall_stat", "top_slowest", "pgb_", "checkpoint_info"];
    keys.iter().any(|key| has(key)).then_some(Form::Badger)
}

fn report_form(text: &str) -> Option<Form> {
    let upper = text.to_ascii_uppercase();
    if upper.contains("WORKLOAD REPOSITORY") || upper.contains("AWR REPORT FOR DB") || upper.contains("AWR RAC REPORT")
    {
        let is_markup = upper.contains("<HTML") || upper.contains("<TABLE") || upper.contains("<TD");
        return Some(if is_markup { Form::AwrHtml } else { Form::AwrText });
    }
    upper.lines().any(|line| line.trim_start().starts_with("STATSPACK")).then_some(Form::Statspack)
}

fn host_form(text: &str) -> Option<Form> {
    let is_device = |line: &str| line.starts_with("avg-cpu:") || line.starts_with("Device");
    // A log may begin within a call of iostat.
    if text.lines().any(is_device) && text.lines().any(|line| line.contains(" r/s ")) {
        return Some(Form::Iostat);
    }
    text.lines().take(20).any(|line| line.starts_with("Linux ")).then_some(Form::Sar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_form() {
        let cases: [(&str, Option<Form>); 14] = [
            ("\nWORKLOAD REPOSITORY report for\n", Some(Form::AwrText)),
            ("<html><head><title>AWR Report for DB: X</title>", Some(Form::AwrHtml)),
            ("SQL> spool\nSTATSPACK report for\n", Some(Form::Statspack)),
            ("~~BEGIN-OS-INFORMATION~~\n", Some(Form::AwrMiner)),
            ("dumped_at,datid,xact_commit,xact_rollback,blks_read,blks_hit\n", Some(Form::StatisticsViews)),
            ("Variable_name\tValue\nUptime\t7\n", Some(Form::GlobalStatus)),
            ("+---+\n| Variable_name | Value |\n", Some(Form::GlobalStatus)),
            ("{\"sysstat\": {\"hosts\": [", Some(Form::Sadf)),
            ("{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"avg-cpu\":  {", Some(Form::IostatJson)),
            ("Linux 6.1 (h) \t2026-11-30 \t_x86_64_\t(2 CPU)\n\n08:00:00 CPU %usr\n", Some(Form::Sar)),
            (
                "Linux 6.1 (h) \t11/30/26\n\n11/30/26 08:13:56\navg-cpu:  %user\n 1\nDevice r/s w/s\n",
                Some(Form::Iostat),
            ),
            ("{\"per_minute_info\":{}}", Some(Form::Badger)),
            ("{\"format\": \"dbdyno load profile\"}", None),
            ("", None),
        ];
        for (text, form) in cases {
            assert_eq!(detect(text.as_bytes()), form, "{text}");
            assert_eq!(detect(&[BYTE_ORDER_MARK, text.as_bytes()].concat()), form, "{text}");
            assert_eq!(detect(text.replace('\n', "\r\n").as_bytes()), form, "{text}");
        }
    }
}
