//! What a reader chooses of a history that is served: the host and the figure.

use model::history::{HistoryQuery, Metric};

use crate::document::{Block, Document, Field, Form};

/// The history `document` of `query`, with a form before it that chooses one of `hosts`; `host` is chosen, all where it is empty.
pub fn history_choice(mut document: Document, query: &HistoryQuery, hosts: &[&str], host: &str) -> Document {
    let same = |word: &&str| ((*word).to_owned(), (*word).to_owned());
    let any = std::iter::once((String::new(), "any host".to_owned()));
    let metrics = [("throughput", "throughput"), ("p99", "0.99 quantile"), ("efficiency", "share of the ceiling")];
    let chosen = match query.metric {
        Metric::Throughput => metrics[0].0,
        Metric::P99 => metrics[1].0,
        Metric::Efficiency => metrics[2].0,
    };
    let fields = vec![
        Field::Kept { name: "test", value: query.test.clone() },
        Field::One {
            name: "host",
            label: "Host",
            values: any.chain(hosts.iter().map(same)).collect(),
            chosen: host.to_owned(),
        },
        Field::One {
            name: "metric",
            label: "Figure",
            values: metrics.map(|(word, words)| (word.to_owned(), words.to_owned())).to_vec(),
            chosen: chosen.to_owned(),
        },
    ];
    let form = Form { id: "history-form", action: "history".to_owned(), is_post: false, fields, button: "Show" };
    document.lead.insert(0, Block::Form(form));
    document
}
