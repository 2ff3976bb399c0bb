//! A kernel in a directory: what configfs and sysfs allow, refuse and make by themselves.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use base::root::{self, Root, inside};
use tempfile::TempDir;

use super::super::kernel::Kernel;
use super::super::step::Step;

const TOP: &str = "sys/kernel/config/nvmet";

/// A machine whose kernel has modules, and nothing in them yet.
pub(super) fn machine() -> (TempDir, Root) {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let root = Root::below(scratch.path());
    let mounts = "30 22 0:23 / /sys/kernel/config rw - configfs configfs rw\n";
    for folder in ["sys/class/nvme", "sys/class/block", "sys/module"] {
        fs::create_dir_all(scratch.path().join(folder)).expect("sysfs");
    }
    fs::create_dir_all(root.proc.join("self")).expect("proc");
    fs::write(root.proc.join("self/mountinfo"), mounts).expect("mounts");
    (scratch, root)
}

/// A subsystem on `/dev/nvme8n1`, a port at 10.0.0.7, and a connection, as somebody else makes them.
pub(super) fn with_others(root: &Root) {
    let mut kernel = FakeKernel::new(root);
    let top = Path::new("/").join(TOP);
    let set = |path: &str, value: &str| Step::set(top.join(path), value);
    for step in [
        Step::LoadModule("nvmet".to_owned()),
        Step::MakeDirectory(top.join("subsystems/other")),
        Step::MakeDirectory(top.join("subsystems/other/namespaces/1")),
        set("subsystems/other/namespaces/1/device_path", "/dev/nvme8n1"),
        set("subsystems/other/namespaces/1/enable", "1"),
        Step::MakeDirectory(top.join("ports/1")),
        set("ports/1/addr_trtype", "tcp"),
        set("ports/1/addr_adrfam", "ipv4"),
        set("ports/1/addr_traddr", "10.0.0.7"),
        set("ports/1/addr_trsvcid", "4420"),
        Step::Link { path: top.join("ports/1/subsystems/other"), target: top.join("subsystems/other") },
        Step::Connect { options: "transport=tcp,traddr=10.0.0.7,trsvcid=4420,nqn=other,hostnqn=theirs".to_owned() },
    ] {
        kernel.carry_out(&step).expect("something of others");
    }
    // Half-made, and in the range of numbers of dbdyno.
    kernel.carry_out(&Step::MakeDirectory(top.join("ports/56066"))).expect("a port of others");
}

/// All files below the configuration and the controllers, with their texts.
pub(super) fn listing(root: &Root) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.top.join(TOP), root.sys.join("class/nvme")];
    while let Some(folder) = folders.pop() {
        for name in root::names(&folder) {
            let path = folder.join(name);
            let text = match fs::read_link(&path) {
                Ok(target) => target.display().to_string(),
                Err(_) if path.is_dir() => {
                    folders.push(path.clone());
                    "a directory".to_owned()
                }
                Err(_) => root::text(&path).unwrap_or_default(),
            };
            found.insert(path, text);
        }
    }
    found
}

/// Files with `texts` where the kernel has its own.
pub(super) fn scribble(root: &Root, texts: &[String]) {
    let names = |text: &str| text.replace(['/', '\0'], "-").chars().take(40).collect::<String>();
    let name = |at: usize| match names(&texts[at]) {
        name if name.is_empty() || name.starts_with('.') => "x".to_owned(),
        name => name,
    };
    let top = root.top.join(TOP);
    let subsystem = top.join("subsystems").join(format!("nqn.2024-01.org.dbdyno:{}", name(0)));
    let port = top.join("ports").join(name(1));
    let controller = root.sys.join("class/nvme").join(name(2));
    let files = [
        subsystem.join("attr_serial"),
        subsystem.join("namespaces/1/device_path"),
        subsystem.join("namespaces/1/enable"),
        port.join("addr_trtype"),
        port.join("addr_traddr"),
        port.join("addr_trsvcid"),
        port.join("subsystems").join(name(3)),
        controller.join("transport"),
        controller.join("address"),
        controller.join("subsysnqn"),
        controller.join("queue_count"),
        controller.join(format!("nvme{}", name(4))),
    ];
    for (file, text) in files.iter().zip(texts) {
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
}

/// A kernel that keeps its state in the files of a directory.
pub(super) struct FakeKernel {
    root: Root,
    refused: Option<(Step, i32)>,
}

impl FakeKernel {
    pub(super) fn new(root: &Root) -> FakeKernel {
        FakeKernel { root: root.clone(), refused: None }
    }

    /// The same, which refuses one step with an error.
    pub(super) fn refusing(self, step: Step, error: i32) -> FakeKernel {
        FakeKernel { refused: Some((step, error)), ..self }
    }

    fn place(&self, path: &Path) -> PathBuf {
        inside(&self.root.top, &path.to_string_lossy())
    }

    fn make_directory(&self, path: &Path) -> io::Result<()> {
        let place = self.place(path);
        fs::create_dir(&place)?;
        let kind = place.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let (folders, files): (&[&str], &[(&str, &str)]) = match kind.as_deref() {
            Some("subsystems") => {
                (&["namespaces", "allowed_hosts"], &[("attr_serial", "1a2b3c4d5e"), ("attr_allow_any_host", "0")])
            }
            Some("namespaces") => (&[], &[("device_path", "(null)"), ("enable", "0")]),
            Some("ports") => (
                &["subsystems", "referrals", "ana_groups"],
                &[("addr_trtype", ""), ("addr_adrfam", ""), ("addr_traddr", ""), ("addr_trsvcid", "")],
            ),
            _ => return fail(libc::EPERM),
        };
        folders.iter().try_for_each(|folder| fs::create_dir(place.join(folder)))?;
        files.iter().try_for_each(|(file, text)| fs::write(place.join(file), format!("{text}\n")))
    }

    fn set(&self, path: &Path, value: &str) -> io::Result<()> {
        let place = self.place(path);
        let directory = place.parent().expect("a directory");
        if !place.is_file() {
            return fail(libc::ENOENT);
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("addr_") && !root::names(directory.join("subsystems")).is_empty() {
            return fail(libc::EACCES);
        }
        if name == "device_path" && root::switch(directory.join("enable")) == Some(true) {
            return fail(libc::EBUSY);
        }
        let path_is_set = || root::text(directory.join("device_path")).is_some_and(|path| path.starts_with('/'));
        if name == "enable" && value == "1" && !path_is_set() {
            return fail(libc::ENXIO);
        }
        fs::write(place, format!("{value}\n"))
    }

    fn link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let place = self.place(path);
        let port = place.parent().and_then(Path::parent).expect("a port");
        let is_set = |name: &str| root::text(port.join(name)).is_some();
        if !["addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid"].into_iter().all(is_set) {
            return fail(libc::EINVAL);
        }
        symlink(self.place(target), place)
    }

    /// A directory goes with what the kernel made in it, but not with what was made since.
    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        let place = self.place(path);
        let inner = ["namespaces", "allowed_hosts", "subsystems"].map(|folder| root::names(place.join(folder)));
        if inner.iter().any(|names| !names.is_empty()) {
            return fail(libc::ENOTEMPTY);
        }
        let ports = self.root.top.join(TOP).join("ports");
        let links = root::names(&ports).into_iter().flat_map(|port| {
            let links = ports.join(port).join("subsystems");
            root::names(&links).into_iter().map(move |name| links.join(name))
        });
        if links.into_iter().any(|link| fs::read_link(link).is_ok_and(|target| target == place)) {
            return fail(libc::EBUSY);
        }
        fs::remove_dir_all(place)
    }

    fn connect(&self, options: &str) -> io::Result<()> {
        let part = |name: &str| options.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let all = self.root.sys.join("class/nvme");
        let number = (7..).find(|number| !all.join(format!("nvme{number}")).exists()).unwrap_or_default();
        let controller = all.join(format!("nvme{number}"));
        // Native multipath: the path is below the controller, the device below the subsystem.
        fs::create_dir_all(controller.join(format!("nvme{number}c{number}n1")))?;
        fs::create_dir_all(self.root.sys.join(format!("class/block/nvme{number}n1")))?;
        let (address, service) = (part("traddr").unwrap_or_default(), part("trsvcid").unwrap_or_default());
        for (file, text) in [
            ("transport", part("transport").unwrap_or_default()),
            ("address", &format!("traddr={address},trsvcid={service},src_addr=127.0.0.1")),
            ("subsysnqn", part("nqn").unwrap_or_default()),
            ("hostnqn", part("hostnqn").unwrap_or_default()),
            ("state", "live"),
            ("queue_count", "3"),
        ] {
            fs::write(controller.join(file), format!("{text}\n"))?;
        }
        Ok(())
    }
}

impl Kernel for FakeKernel {
    fn carry_out(&mut self, step: &Step) -> io::Result<()> {
        if let Some((refused, error)) = &self.refused
            && refused == step
        {
            return fail(*error);
        }
        match step {
            Step::LoadModule(name) => {
                if name == "nvmet" {
                    for folder in ["subsystems", "ports", "hosts"] {
                        fs::create_dir_all(self.root.top.join(TOP).join(folder))?;
                    }
                }
                fs::create_dir_all(self.root.sys.join("module").join(name.replace('-', "_")))
            }
            Step::MountConfiguration => Ok(()),
            Step::MakeDirectory(path) => self.make_directory(path),
            Step::Set { path, value } => self.set(path, value),
            Step::Link { path, target } => self.link(path, target),
            Step::Connect { options } => self.connect(options),
            Step::Disconnect { controller } => fs::remove_dir_all(self.root.sys.join("class/nvme").join(controller)),
            Step::RemoveLink(path) => fs::remove_file(self.place(path)),
            Step::RemoveDirectory(path) => self.remove_directory(path),
        }
    }
}

fn fail(error: i32) -> io::Result<()> {
    Err(io::Error::from_raw_os_error(error))
}
