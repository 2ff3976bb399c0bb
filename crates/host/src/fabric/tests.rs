mod configfs;

use std::io;

use proptest::prelude::*;
use tempfile::TempDir;

use self::configfs::{FakeKernel, listing, machine, with_others};
use super::*;

fn at(address: &str, service: u16) -> Endpoint {
    Endpoint { transport: Transport::Tcp, address: address.parse().expect("an address"), service }
}

fn plan_at(root: &Root, device: &str, endpoint: Endpoint) -> Result<TargetPlan, FabricError> {
    let backing = Backing { path: Path::new("/dev").join(device), is_block_device: true };
    target::plan(&FabricState::read(root), "guest", backing, endpoint)
}

fn plan(root: &Root, device: &str, endpoint: Endpoint) -> TargetPlan {
    plan_at(root, device, endpoint).expect("a plan")
}

/// A machine with a target on `nvme1n1` at the usual place.
fn machine_with_target() -> (TempDir, Root, TargetPlan) {
    let (scratch, root) = machine();
    let planned = plan(&root, "nvme1n1", at("127.0.0.1", 4420));
    make_target(&mut FakeKernel::new(&root), &root, &planned).expect("a target");
    (scratch, root, planned)
}

fn connect(root: &Root, request: &ConnectionRequest) -> ConnectionPlan {
    let planned = connection::plan(&FabricState::read(root), "guest", request).expect("a plan");
    apply(&mut FakeKernel::new(root), root, &planned.steps).expect("a connection");
    planned
}

fn remove_all(root: &Root) {
    let steps = removal::steps(&FabricState::read(root));
    apply(&mut FakeKernel::new(root), root, &steps).expect("removed");
}

#[test]
fn the_steps_of_a_target_are_those_of_the_kernel_in_order() {
    let (_scratch, root) = machine();
    let planned = plan(&root, "nvme1n1", at("::1", 4421));
    let top = "/sys/kernel/config/nvmet";
    let nqn = "nqn.2024-01.org.dbdyno:guest:nvme1n1";
    assert_eq!((planned.nqn.as_str(), planned.port), (nqn, 56064));
    let set = |path: &str, value: &str| Step::set(format!("{top}/{path}").into(), value);
    let made = |path: &str| Step::MakeDirectory(format!("{top}/{path}").into());
    let subsystem = format!("subsystems/{nqn}");
    let expected = [
        Step::LoadModule("nvmet".to_owned()),
        Step::MountConfiguration,
        Step::LoadModule("nvmet-tcp".to_owned()),
        made(&subsystem),
        set(&format!("{subsystem}/attr_serial"), &name::serial(nqn, 56064)),
        set(&format!("{subsystem}/attr_allow_any_host"), "1"),
        made(&format!("{subsystem}/namespaces/1")),
        set(&format!("{subsystem}/namespaces/1/device_path"), "/dev/nvme1n1"),
        set(&format!("{subsystem}/namespaces/1/enable"), "1"),
        made("ports/56064"),
        set("ports/56064/addr_trtype", "tcp"),
        set("ports/56064/addr_adrfam", "ipv6"),
        set("ports/56064/addr_traddr", "::1"),
        set("ports/56064/addr_trsvcid", "4421"),
        Step::Link {
            path: format!("{top}/ports/56064/subsystems/{nqn}").into(),
            target: format!("{top}/{subsystem}").into(),
        },
    ];
    assert_eq!(planned.steps, expected);
}

#[test]
fn a_target_of_rdma_differs_in_module_and_type() {
    let (_scratch, root) = machine();
    let endpoint = Endpoint { transport: Transport::Rdma, ..at("10.0.0.1", 4420) };
    let tcp = plan(&root, "nvme1n1", at("10.0.0.1", 4420)).steps;
    let rdma = plan(&root, "nvme1n1", endpoint).steps;
    let different: Vec<&Step> = rdma.iter().filter(|step| !tcp.contains(step)).collect();
    let module = Step::LoadModule("nvmet-rdma".to_owned());
    let kind = Step::set("/sys/kernel/config/nvmet/ports/56064/addr_trtype".into(), "rdma");
    assert_eq!(different, [&module, &kind]);
    let error = plan_at(&root, "nvme1n1", Endpoint { transport: Transport::Rdma, ..at("127.0.0.1", 1) }).unwrap_err();
    assert!(error.fault == FabricFault::User && error.hint.contains("--address"), "{error}");
}

#[test]
fn a_target_is_listed_is_not_made_twice_and_is_removed() {
    let (_scratch, root) = machine();
    with_others(&root);
    let before = listing(&root);
    let planned = plan(&root, "nvme1n1", at("127.0.0.1", 4422));
    let made = make_target(&mut FakeKernel::new(&root), &root, &planned).expect("a target");
    assert_eq!(made, planned.steps.len() - 2, "configfs is mounted, and nvmet loaded");
    let ours = FabricState::read(&root).ours();
    assert_eq!((ours.subsystems.len(), ours.ports.len(), ours.connections.len()), (1, 1, 0));
    assert_eq!(ours.subsystems[0].backing(), Some(Path::new("/dev/nvme1n1")));
    assert_eq!(ours.ports[0].endpoint, Some(at("127.0.0.1", 4422)));
    let again = plan(&root, "nvme1n1", at("127.0.0.1", 4422));
    assert_eq!((again.port, again.pending(&root)), (planned.port, vec![]));
    assert_eq!(make_target(&mut FakeKernel::new(&root), &root, &again), Ok(0));
    // Who may connect is up to the owner of the machine.
    let restricted = format!("/sys/kernel/config/nvmet/subsystems/{}/attr_allow_any_host", planned.nqn);
    FakeKernel::new(&root).carry_out(&Step::set(restricted.into(), "0")).expect("restricted");
    assert_eq!(again.pending(&root), []);
    remove_all(&root);
    assert_eq!(listing(&root), before);
    assert!(FabricState::read(&root).ours().is_empty() && !FabricState::read(&root).is_empty());
}

#[test]
fn what_a_crash_left_is_removed_completely_and_gone_on_with() {
    let (_scratch, root) = machine();
    with_others(&root);
    let before = listing(&root);
    let steps = plan(&root, "nvme1n1", at("127.0.0.1", 4422)).steps;
    for made in 0..=steps.len() {
        for go_on in [false, true] {
            apply(&mut FakeKernel::new(&root), &root, &steps[..made]).expect("a part");
            if go_on {
                let again = plan(&root, "nvme1n1", at("127.0.0.1", 4422));
                assert_eq!(again.steps, steps, "after {made} steps");
                apply(&mut FakeKernel::new(&root), &root, &again.steps).expect("the rest");
            }
            remove_all(&root);
            assert_eq!(listing(&root), before, "after {made} steps");
        }
    }
}

#[test]
fn a_removal_that_was_cut_off_is_gone_on_with() {
    let (_scratch, root) = machine();
    with_others(&root);
    let before = listing(&root);
    let mut count = 1;
    for removed in 0.. {
        if removed > count {
            break;
        }
        for (device, service) in [("nvme1n1", 4422), ("nvme2n1", 4422), ("nvme3n1", 4423)] {
            let planned = plan(&root, device, at("127.0.0.1", service));
            apply(&mut FakeKernel::new(&root), &root, &planned.steps).expect("a target");
        }
        let nqn = Some("nqn.2024-01.org.dbdyno:guest:nvme1n1".to_owned());
        connect(&root, &ConnectionRequest { nqn, ..ConnectionRequest::default() });
        let steps = removal::steps(&FabricState::read(&root));
        count = steps.len();
        apply(&mut FakeKernel::new(&root), &root, &steps[..removed.min(count)]).expect("a part");
        remove_all(&root);
        assert_eq!(listing(&root), before, "after {removed} steps");
    }
    assert!(count > 12, "{count}");
}

#[test]
fn targets_at_one_place_share_a_port() {
    let (_scratch, root, first) = machine_with_target();
    let second = plan(&root, "nvme2n1", at("127.0.0.1", 4420));
    let third = plan(&root, "nvme3n1", at("127.0.0.1", 4421));
    assert_eq!((first.port, second.port, third.port), (56064, 56064, 56065));
    apply(&mut FakeKernel::new(&root), &root, &second.steps).expect("a second target");
    // One of them is undone, the port stays.
    let steps = removal::target_steps(&FabricState::read(&root), |subsystem| subsystem.nqn == first.nqn);
    apply(&mut FakeKernel::new(&root), &root, &steps).expect("removed");
    let state = FabricState::read(&root);
    assert_eq!((state.subsystems.len(), state.ports.len()), (1, 1));
    assert!(state.is_our_port(&state.ports[0]));
}

#[test]
fn a_port_at_which_others_offer_something_stays() {
    let (_scratch, root, planned) = machine_with_target();
    with_others(&root);
    let top = "/sys/kernel/config/nvmet";
    let link = Step::Link {
        path: format!("{top}/ports/{}/subsystems/other", planned.port).into(),
        target: format!("{top}/subsystems/other").into(),
    };
    FakeKernel::new(&root).carry_out(&link).expect("linked by somebody");
    remove_all(&root);
    let state = FabricState::read(&root);
    assert!(state.ours().is_empty());
    let port = state.ports.iter().find(|port| port.number == "56064").expect("the port");
    assert_eq!(port.links, [("other".to_owned(), "other".to_owned())]);
}

#[test]
fn a_place_that_is_taken_is_an_error() {
    let (_scratch, root, _) = machine_with_target();
    with_others(&root);
    for (device, address, service, message) in [
        (
            "nvme2n1",
            "10.0.0.7",
            4420,
            "port 1 of nvmet listens at tcp 10.0.0.7 port 4420 already, a port that dbdyno did not",
        ),
        ("nvme2n1", "0.0.0.0", 4420, "port 1 of nvmet listens at tcp 10.0.0.7 port 4420"),
        ("nvme1n1", "127.0.0.1", 4421, "/dev/nvme1n1 is a target at tcp 127.0.0.1 port 4420 already"),
        ("nvme8n1", "127.0.0.1", 4420, "/dev/nvme8n1 is offered by the subsystem other already"),
        ("nvme2n1", "224.0.0.1", 4420, "address 224.0.0.1 is one of a group"),
    ] {
        let error = plan_at(&root, device, at(address, service)).expect_err(message);
        assert!(error.message.starts_with(message), "{error}");
        assert!(!error.hint.is_empty());
    }
    let error = plan_at(&root, "nvme2n1", at("0.0.0.0", 4420)).expect_err("taken");
    assert_eq!(error.fault, FabricFault::Environment);
}

#[test]
fn a_target_that_the_kernel_refuses_leaves_nothing() {
    let (_scratch, root) = machine();
    with_others(&root);
    let before = listing(&root);
    let planned = plan(&root, "nvme1n1", at("127.0.0.1", 4422));
    for (failing, step) in planned.steps.iter().enumerate().filter(|(_, step)| !step.is_done(&root)) {
        let mut kernel = FakeKernel::new(&root).refusing(step.clone(), libc::EADDRINUSE);
        let error = make_target(&mut kernel, &root, &planned).expect_err("refused");
        assert!(error.fault == FabricFault::Environment && !error.hint.is_empty(), "{error}");
        assert_eq!(listing(&root), before, "step {failing}");
    }
}

#[test]
fn the_only_target_of_this_host_is_meant_without_a_name() {
    let (_scratch, root, target) = machine_with_target();
    let plan = |request: &ConnectionRequest| connection::plan(&FabricState::read(&root), "guest", request);
    let found = plan(&ConnectionRequest::default()).expect("a plan");
    assert_eq!((&found.nqn, found.endpoint), (&target.nqn, target.endpoint));
    let id = name::initiator_id("nqn.2024-01.org.dbdyno:initiator:guest");
    let options = format!(
        "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn={},hostid={id},hostnqn=nqn.2024-01.org.dbdyno:initiator:guest",
        target.nqn
    );
    assert_eq!(found.steps, [Step::LoadModule("nvme-tcp".to_owned()), Step::Connect { options }]);
    let error =
        plan(&ConnectionRequest { service: Some(1), ..ConnectionRequest::default() }).expect_err("another port");
    assert_eq!(error.message, "no target of dbdyno on this host fits, and no nqn is given");
    let more = target::plan(
        &FabricState::read(&root),
        "guest",
        Backing { path: "/dev/nvme2n1".into(), is_block_device: true },
        at("0.0.0.0", 4421),
    );
    apply(&mut FakeKernel::new(&root), &root, &more.expect("a plan").steps).expect("a second target");
    let error = plan(&ConnectionRequest::default()).expect_err("two");
    assert!(error.message.starts_with("2 targets") && error.hint.contains("nvme1n1 or nqn."), "{error}");
    let request = ConnectionRequest { service: Some(4421), queues: Some(2), ..ConnectionRequest::default() };
    let found = plan(&request).expect("the second");
    assert_eq!(found.endpoint, at("127.0.0.1", 4421), "every address is this host's own, too");
    assert!(matches!(&found.steps[1], Step::Connect { options } if options.ends_with(",nr_io_queues=2")));
}

#[test]
fn names_and_addresses_that_cannot_be_connected_to_are_mistakes() {
    let (_scratch, root) = machine();
    let plan = |request: ConnectionRequest| connection::plan(&FabricState::read(&root), "guest", &request);
    let named = |nqn: &str| ConnectionRequest { nqn: Some(nqn.to_owned()), ..ConnectionRequest::default() };
    for nqn in ["", "a b", "a,b=c", "nqn.2014-08.org.nvmexpress.discovery", "é", &"x".repeat(224)] {
        let error = plan(named(nqn)).expect_err(nqn);
        assert!(error.fault == FabricFault::User && error.message.starts_with("nqn "), "{error}");
    }
    for address in ["0.0.0.0", "::", "224.0.0.1"] {
        let address = address.parse().ok();
        assert_eq!(plan(ConnectionRequest { address, ..named("x") }).expect_err("no host").fault, FabricFault::User);
    }
    let rdma = ConnectionRequest { transport: Some(Transport::Rdma), ..named("x") };
    assert!(plan(rdma).expect_err("no address").hint.contains("--address"));
    assert_eq!(plan(named("x")).expect("a plan").endpoint, at("127.0.0.1", 4420));
}

#[test]
fn a_connection_is_not_doubled_and_goes_first() {
    let (_scratch, root, _) = machine_with_target();
    with_others(&root);
    let planned = connect(&root, &ConnectionRequest::default());
    let again = connection::plan(&FabricState::read(&root), "guest", &ConnectionRequest::default()).expect("a plan");
    let existing = again.existing.expect("the connection");
    assert_eq!((existing.nqn, existing.devices), (planned.nqn, vec!["nvme8n1".to_owned()]));
    assert!(again.steps.is_empty());
    // To a subsystem of others, made by dbdyno: known by the name of the initiator.
    let request = ConnectionRequest {
        nqn: Some("elsewhere".to_owned()),
        address: "10.0.0.8".parse().ok(),
        ..ConnectionRequest::default()
    };
    connect(&root, &request);
    let state = FabricState::read(&root);
    assert_eq!((state.ours().connections.len(), state.connections.len()), (2, 3));
    let first: Vec<Step> = removal::steps(&state).into_iter().take(2).collect();
    assert!(first.iter().all(|step| matches!(step, Step::Disconnect { .. })), "{first:?}");
    remove_all(&root);
    let left = FabricState::read(&root);
    assert_eq!(left.connections.len(), 1);
    assert!(left.ours().is_empty());
}

#[test]
fn a_machine_without_nvme_has_nothing() {
    let root = Root::below("/nonexistent");
    assert!(FabricState::read(&root).is_empty());
    assert!(removal::steps(&FabricState::read(&root)).is_empty());
}

#[test]
fn files_and_devices_to_offer_are_told_apart() {
    // Others may be in memory.
    let scratch = tempfile::tempdir_in("/var/tmp").expect("temporary directory");
    let file = scratch.path().join("a.img");
    std::fs::write(&file, vec![0; 1 << 20]).expect("a file");
    let found = backing::find(&file).expect("a file");
    assert!(!found.is_block_device && backing::refuse_use(&found).is_ok());
    std::fs::write(&file, b"XFSB").expect("a file");
    let error = backing::refuse_use(&found).expect_err("a file system");
    assert!(error.message.ends_with("may not be offered: has the signature of an xfs file system"), "{error}");
    std::fs::write(&file, b"").expect("a file");
    assert!(backing::refuse_use(&found).expect_err("empty").message.ends_with("is empty"));
    for path in [scratch.path(), Path::new("/dev/null"), &scratch.path().join("none"), &file.join("below")] {
        let error = backing::find(path).expect_err("neither");
        assert!(error.fault == FabricFault::User && error.hint.contains("make a file"), "{error}");
    }
    let strange = scratch.path().join("a\nb");
    std::fs::write(&strange, b"x").expect("a file");
    assert!(backing::find(&strange).expect_err("two lines").message.contains("a\\nb"));
}

#[test]
fn every_refusal_has_a_hint_for_its_cause() {
    let link = Step::Link { path: "/l".into(), target: "/t".into() };
    let connection = Step::Connect { options: String::new() };
    for (step, error, hint) in [
        (&link, libc::EADDRINUSE, "another --port"),
        (&link, libc::EADDRNOTAVAIL, "ip address"),
        (&link, libc::EACCES, "as root"),
        (&connection, libc::ECONNREFUSED, "make the target first"),
        (&connection, libc::EALREADY, "connected there already"),
    ] {
        let error = kernel::refused(step, &io::Error::from_raw_os_error(error));
        assert!(error.hint.contains(hint), "{error}");
    }
    let module = kernel::refused(&Step::LoadModule("nvmet".to_owned()), &io::Error::other("not found"));
    assert_eq!(module.message, "the module nvmet of the kernel cannot be loaded: not found");
}

/// What a user or a crash may do.
#[derive(Clone, Debug)]
enum Deed {
    Target { device: u8, address: u8, service: u16, steps: usize },
    Connect { device: u8 },
    Remove { steps: usize },
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        (1..4_u8, 1..3_u8, 4422..4425_u16, 0..20_usize).prop_map(|(device, address, service, steps)| Deed::Target {
            device,
            address,
            service,
            steps
        }),
        (1..4_u8).prop_map(|device| Deed::Connect { device }),
        (0..20_usize).prop_map(|steps| Deed::Remove { steps }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_cut_off_nothing_is_left_and_others_are_untouched(deeds in prop::collection::vec(deed(), 1..12)) {
        let (_scratch, root) = machine();
        with_others(&root);
        let before = listing(&root);
        for deed in deeds {
            let mut kernel = FakeKernel::new(&root);
            let state = FabricState::read(&root);
            match deed {
                Deed::Target { device, address, service, steps } => {
                    let endpoint = at(&format!("127.0.0.{address}"), service);
                    if let Ok(planned) = plan_at(&root, &format!("nvme{device}n1"), endpoint) {
                        let steps = &planned.steps[..steps.min(planned.steps.len())];
                        apply(&mut kernel, &root, steps).expect("a target or a part of it");
                    }
                }
                Deed::Connect { device } => {
                    let nqn = Some(format!("nqn.2024-01.org.dbdyno:guest:nvme{device}n1"));
                    let request = ConnectionRequest { nqn, ..ConnectionRequest::default() };
                    let planned = connection::plan(&state, "guest", &request).expect("a plan");
                    apply(&mut kernel, &root, &planned.steps).expect("a connection");
                }
                Deed::Remove { steps } => {
                    let all = removal::steps(&state);
                    apply(&mut kernel, &root, &all[..steps.min(all.len())]).expect("a part of the removal");
                }
            }
        }
        remove_all(&root);
        prop_assert_eq!(listing(&root), before);
    }

    #[test]
    fn no_text_of_the_kernel_panics(texts in prop::collection::vec("\\PC{0,40}|[a-z0-9.:,=-]{0,40}", 12), request in any::<(bool, u16, u32)>()) {
        let (_scratch, root) = machine();
        configfs::scribble(&root, &texts);
        let state = FabricState::read(&root);
        let _ = (removal::steps(&state), state.ours());
        let nqn = request.0.then(|| texts[0].clone());
        let address = texts[1].parse().ok();
        let wanted = ConnectionRequest { nqn, address, service: Some(request.1), queues: Some(request.2), transport: None };
        let _ = connection::plan(&state, &texts[2], &wanted);
        let _ = plan_at(&root, "nvme1n1", at("127.0.0.1", request.1));
    }
}

#[test]
fn the_lock_is_a_file_that_others_cannot_open() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = tempfile::tempdir().unwrap();
    let (path, link) = (directory.path().join("lock"), directory.path().join("link"));
    let lock = super::open_lock(&path).unwrap();
    assert_eq!(lock.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    super::open_lock(&path).unwrap();
    symlink(&path, &link).unwrap();
    assert!(super::open_lock(&link).is_err());
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    assert!(super::open_lock(&path).is_err(), "others may open it, and hold its lock");
}
