//! What a part of a run may ask of the host of an agent: only what the agent was told when it was started.

use record::{LoadSource, Part, PartKind, Permitted};

/// Why `part` asks for more than `permitted`; None where it does not.
pub(crate) fn refusal(part: &Part, permitted: &Permitted) -> Option<String> {
    let refused = |what: &str, asked: &[String], allowed: &[String]| {
        let unnamed = asked.iter().find(|name| !allowed.contains(name))?;
        Some(format!("{what} {unnamed:?} was not named when the agent was started"))
    };
    if permitted.target.is_none() && !part.nodes.is_empty() {
        return Some("no target was named when the agent was started".to_owned());
    }
    match &part.kind {
        PartKind::Io(io) => refused("device or file", &io.devices, &permitted.devices)
            .or_else(|| refused("overwritten device or file", &io.destroy, &permitted.destroy)),
        PartKind::Load(load) => match &load.source {
            LoadSource::Files(files) => refused("file", files, &permitted.files),
            LoadSource::Generated { .. } => None,
        },
        PartKind::Catalogue { .. } | PartKind::Blocks { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use record::{Bytes, IoPart, IoPhase, IoPlan, LoadForm, LoadModel, LoadPart, PartNode};

    use super::*;
    use crate::tests::part;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn io(devices: &[&str], destroy: &[&str]) -> Part {
        let (plan, phase) = (IoPlan::default(), IoPhase { name: "p".to_owned(), jobs: Vec::new() });
        let io = IoPart { plan, phase, writer: 1, seed: 2, devices: names(devices), destroy: names(destroy) };
        Part { kind: PartKind::Io(Box::new(io)), ..part(1) }
    }

    fn load(files: &[&str]) -> Part {
        let load = LoadPart {
            source: LoadSource::Files(names(files)),
            layout: "cards".to_owned(),
            header_unread: false,
            compression: None,
            table: "t".to_owned(),
            model: LoadModel::default(),
            partition_ends: Vec::new(),
            form: LoadForm::default(),
            batch_bytes: Bytes(1),
            rejected_rows_max: 0,
        };
        Part { kind: PartKind::Load(Box::new(load)), ..part(1) }
    }

    #[test]
    fn a_part_asks_for_nothing_that_was_not_named() {
        let permitted = Permitted {
            target: None,
            devices: names(&["/dev/a", "/dev/b"]),
            destroy: names(&["/dev/b"]),
            files: names(&["cards.tbl"]),
        };
        for allowed in [part(1), io(&[], &[]), io(&["/dev/a", "/dev/b"], &["/dev/b"]), load(&["cards.tbl"])] {
            assert_eq!(refusal(&allowed, &permitted), None, "{:?}", allowed.kind);
        }
        let node = PartNode { number: 1, target: "null".to_owned() };
        let with_node = Part { nodes: vec![node], ..part(1) };
        for (asked, named) in [
            (io(&["/dev/c"], &[]), "/dev/c"),
            (io(&["/dev/a"], &["/dev/a"]), "/dev/a"),
            (io(&[], &["/etc/shadow"]), "/etc/shadow"),
            (load(&["cards.tbl", "/etc/shadow"]), "/etc/shadow"),
            (with_node.clone(), "no target"),
        ] {
            let reason = refusal(&asked, &permitted).unwrap();
            assert!(reason.contains(named) && reason.ends_with("when the agent was started"), "{reason}");
        }
        let with_target = Permitted { target: Some("null".to_owned()), ..Permitted::default() };
        assert_eq!(refusal(&with_node, &with_target), None);
    }
}
