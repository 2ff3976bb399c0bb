//! Steps as a shell script to read and to run.

use std::borrow::Cow;
use std::fmt::Write as _;

use host::fabric::{CONFIGURATION, Step};

/// The script that carries out `steps`, with `head` as its comment.
pub(super) fn script(head: &str, steps: &[Step]) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    for line in head.lines() {
        let _ = writeln!(text, "{}", format!("# {line}").trim_end());
    }
    if !steps.is_empty() {
        text.push_str("set -eu\n");
    }
    for step in steps {
        let _ = writeln!(text, "{}", command(step));
    }
    text
}

/// The command of one step.
fn command(step: &Step) -> String {
    let quoted_path = |path: &std::path::Path| quoted(&path.to_string_lossy()).into_owned();
    match step {
        Step::LoadModule(name) => format!("modprobe {name}"),
        Step::MountConfiguration => {
            format!("mountpoint -q {CONFIGURATION} || mount -t configfs configfs {CONFIGURATION}")
        }
        Step::MakeDirectory(path) => format!("mkdir {}", quoted_path(path)),
        // The echo of some shells has a meaning for backslashes.
        Step::Set { path, value } if value.contains('\\') => {
            format!("printf '%s\\n' {} > {}", quoted(value), quoted_path(path))
        }
        Step::Set { path, value } => format!("echo {} > {}", quoted(value), quoted_path(path)),
        Step::Link { path, target } => format!("ln -s {} {}", quoted_path(target), quoted_path(path)),
        Step::Connect { options } => format!("echo {} > /dev/nvme-fabrics", quoted(options)),
        Step::Disconnect { controller } => {
            format!("echo 1 > {}", quoted(&format!("/sys/class/nvme/{controller}/delete_controller")))
        }
        Step::RemoveLink(path) => format!("rm {}", quoted_path(path)),
        Step::RemoveDirectory(path) => format!("rmdir {}", quoted_path(path)),
    }
}

/// `text` as one word of the shell.
fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-:=,".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("'{}'", text.replace('\'', "'\\''"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_step_is_one_command() {
        let top = "/sys/kernel/config/nvmet";
        let steps = [
            Step::LoadModule("nvmet".to_owned()),
            Step::MountConfiguration,
            Step::MakeDirectory(format!("{top}/ports/56064").into()),
            Step::Set { path: format!("{top}/ports/56064/addr_traddr").into(), value: "::1".to_owned() },
            Step::Set { path: format!("{top}/x/device_path").into(), value: "/a b/it's".to_owned() },
            Step::Link { path: format!("{top}/l").into(), target: format!("{top}/t").into() },
            Step::Connect { options: "transport=tcp,traddr=127.0.0.1".to_owned() },
            Step::Disconnect { controller: "nvme5".to_owned() },
            Step::RemoveLink(format!("{top}/l").into()),
            Step::RemoveDirectory(format!("{top}/ports/56064").into()),
        ];
        let expected = "\
#!/bin/sh
# first
#
# third
set -eu
modprobe nvmet
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
mkdir /sys/kernel/config/nvmet/ports/56064
echo ::1 > /sys/kernel/config/nvmet/ports/56064/addr_traddr
echo '/a b/it'\\''s' > /sys/kernel/config/nvmet/x/device_path
ln -s /sys/kernel/config/nvmet/t /sys/kernel/config/nvmet/l
echo transport=tcp,traddr=127.0.0.1 > /dev/nvme-fabrics
echo 1 > /sys/class/nvme/nvme5/delete_controller
rm /sys/kernel/config/nvmet/l
rmdir /sys/kernel/config/nvmet/ports/56064
";
        assert_eq!(script("first\n\nthird", &steps), expected);
    }

    #[test]
    fn without_steps_it_says_only_why() {
        assert_eq!(script("nothing is left to do", &[]), "#!/bin/sh\n# nothing is left to do\n");
    }

    proptest! {
        #[test]
        fn a_quoted_text_is_one_word_of_the_shell(text in "[^\0]{0,60}") {
            prop_assert_eq!(shlex::split(&quoted(&text)), Some(vec![text.clone()]));
        }
    }
}
