//! What Alertmanager leaves out while something worse is told: one outage is one notification.

/// Rules of inhibition for the alerts of [`super::rules`], to be put into the configuration of Alertmanager.
pub fn inhibition() -> String {
    TEXT.to_owned()
}

// A label that is missing on both sides is equal to Alertmanager. A cluster without a writer always has a cluster, and what has
// a severity of dbdyno and no target is a page: nothing is left out because of what both lack.
const TEXT: &str = r#"# Written by `dbdyno monitor rules --form alertmanager`, for the alerts of `dbdyno monitor rules`.
# Put these into the list `inhibit_rules` of your configuration: `amtool check-config` reads it.
inhibit_rules:
# What is down uses up its budget, and drifts: of the same target that is no news.
- source_matchers: ['alertname=~"DbdynoDown|DbdynoNoWriter"']
  target_matchers: ['alertname=~"Dbdyno(FastBurn|SlowBurn|BudgetBurn|Drift)"']
  equal: [target]
# No node takes writes: that the commits of each of them fail is the same thing.
- source_matchers: ['alertname="DbdynoNoWriter"']
  target_matchers: ['alertname=~"Dbdyno(Down|FastBurn|SlowBurn|BudgetBurn)"', 'operation="commit"']
  equal: [cluster]
# Who was woken needs no ticket for the same target.
- source_matchers: ['alertname=~"Dbdyno.+"', 'severity="page"']
  target_matchers: ['alertname=~"Dbdyno.+"', 'severity="ticket"']
  equal: [target]
"#;
