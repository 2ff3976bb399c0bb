//! Rules of Prometheus: the same that the monitor judges by, evaluated where a monitor that is gone is noticed.

use std::fmt::Write;

use base::quantity::time_text;
use model::promise::{BURN_RULES, BurnRule, Objective, PROMISE_RULES};
use record::Nanos;

/// Rules for `objective`, where starts are `period_ns` apart.
pub fn rules(objective: Objective, period_ns: Nanos) -> String {
    let mut text = String::from(HEAD);
    for rule in &BURN_RULES {
        burn(&mut text, rule, objective);
    }
    let silence_seconds = (10.0 * period_ns.seconds()).ceil().max(60.0);
    let down = PROMISE_RULES.down_events;
    // A text with fixed arguments cannot fail.
    let _ = write!(
        text,
        r#"  - alert: DbdynoDown
    expr: dbdyno_probe_bad_in_a_row{{operation!="writer"}} >= {down}
    labels:
      severity: page
    annotations:
      summary: '{{{{ $labels.target }}}}: {{{{ $value }}}} bursts of {{{{ $labels.operation }}}} in a row are bad'
  - alert: DbdynoNoWriter
    expr: dbdyno_probe_bad_in_a_row{{operation="writer"}} >= {down}
    labels:
      severity: page
    annotations:
      summary: '{{{{ $labels.target }}}}: no node takes writes'
  - alert: DbdynoDrift
    expr: max by (target, operation, cluster) (dbdyno_probe_alert{{alert=~"drift from .*"}}) == 1
    labels:
      severity: ticket
    annotations:
      summary: '{{{{ $labels.target }}}}: {{{{ $labels.operation }}}} drifts; dbdyno monitor says from what, and why'
  - alert: DbdynoSilent
    expr: time() - dbdyno_probe_last_due_timestamp_seconds > {silence_seconds}
    labels:
      severity: page
    annotations:
      summary: '{{{{ $labels.target }}}}: no burst was due for {{{{ $value }}}} s: the monitor hangs'
  - alert: DbdynoAbsent
    expr: absent(dbdyno_probe_last_due_timestamp_seconds)
    for: 5m
    labels:
      severity: page
    annotations:
      summary: 'no monitor of dbdyno is scraped: nobody knows whether the database keeps its promise'
"#
    );
    text
}

const HEAD: &str =
    "# Written by `dbdyno monitor rules`. Burn rates are those of the Site Reliability Workbook, chapter 5.
groups:
- name: dbdyno
  rules:
";

fn burn(text: &mut String, rule: &BurnRule, objective: Objective) {
    let name: String = rule.alert.word().split(' ').map(super::capitalized).collect();
    let limit = rule.bad_share(objective).min(1.0);
    let window = |window_ms: i64| time_text(window_ms.unsigned_abs() * 1_000_000).replace("min", "m");
    let (long, short) = (window(rule.long_ms), window(rule.short_ms));
    let bad = |window: &str| {
        format!("(increase(dbdyno_probe_events_total[{window}]) - increase(dbdyno_probe_good_total[{window}]))")
    };
    let share = |window: &str| format!("{} / increase(dbdyno_probe_events_total[{window}]) >= {limit:.6}", bad(window));
    let _ = write!(
        text,
        r#"  - alert: Dbdyno{name}
    expr: |
      {long_share}
      and {short_share}
      and {long_bad} >= {least}
    labels:
      severity: {severity}
    annotations:
      summary: '{{{{ $labels.target }}}}: {{{{ $labels.operation }}}} uses its budget {factor} times too fast'
"#,
        long_share = share(&long),
        short_share = share(&short),
        long_bad = bad(&long),
        // An increase is extrapolated: it need not be a whole number.
        least = PROMISE_RULES.burn_bad_min as f64 - 0.5,
        severity = rule.severity().word(),
        factor = rule.factor,
    );
}
