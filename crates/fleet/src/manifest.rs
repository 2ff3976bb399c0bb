//! Manifests of hosts for agents in containers, and the files of hosts for them.

use std::fmt::Write as _;

use crate::error::{Error, Result};
use crate::subject::is_agent_name;

/// Where an agent works on such a host.
const DIRECTORY: &str = "/data";

/// The program that a manifest is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestFormat {
    /// Kubernetes: a stateful set of pods, each on a node of its own.
    Kubernetes,
    /// Docker Compose: a service for each.
    Compose,
}

/// Hosts that do nothing but wait for agents, which bring their program with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The first part of their names.
    pub name: String,
    /// Number of hosts.
    pub agents: u32,
    /// Image of their containers: with a shell and the C library that this program was built with, or a later one.
    pub image: String,
    /// Processors of each; absent for no limit.
    pub processors: Option<u32>,
    /// Memory of each, as Kubernetes and Compose write it, in MiB; absent for no limit.
    pub memory_mib: Option<u64>,
    /// Size of a volume of each, in GiB, which stays; absent for a directory that goes with the host.
    pub volume_gib: Option<u64>,
    /// The storage class of these volumes; absent for the usual one.
    pub storage_class: Option<String>,
}

impl Manifest {
    /// Refuses what cannot be a name or an image.
    ///
    /// # Errors
    /// With the word that cannot be one.
    pub fn check(&self) -> Result<()> {
        let is_label = |text: &str| {
            let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
            text.starts_with(|letter: char| letter.is_ascii_lowercase())
                && !text.ends_with('-')
                && text.chars().all(is_letter)
        };
        if !is_label(&self.name) || !is_agent_name(&self.host_name(ManifestFormat::Kubernetes, self.agents)) {
            return Err(Error::new(format!("{:?} cannot be the name of hosts", self.name))
                .hint("use up to 30 lower-case letters, digits and -"));
        }
        let is_word = |text: &str| {
            !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:@".contains(letter))
        };
        match [Some(&self.image), self.storage_class.as_ref()].into_iter().flatten().find(|text| !is_word(text)) {
            Some(text) => Err(Error::new(format!("{text:?} cannot be an image or a storage class"))
                .hint("use letters, digits and -_./:@")),
            None => Ok(()),
        }
    }

    /// The name of host `number`, from 1.
    fn host_name(&self, format: ManifestFormat, number: u32) -> String {
        match format {
            // Stateful sets count from 0.
            ManifestFormat::Kubernetes => format!("{}-{}", self.name, number.saturating_sub(1)),
            ManifestFormat::Compose => format!("{}-{number}", self.name),
        }
    }

    /// The file of hosts.
    pub fn hosts(&self, format: ManifestFormat) -> String {
        let line = |number| {
            let name = self.host_name(format, number);
            let via = match format {
                ManifestFormat::Kubernetes => format!("kubectl exec -i {name} --"),
                ManifestFormat::Compose => format!("docker compose exec -T {name}"),
            };
            format!("{name} dir={DIRECTORY} via=\"{via}\"\n")
        };
        (1..=self.agents).map(line).collect()
    }

    /// The manifest.
    pub fn text(&self, format: ManifestFormat) -> String {
        match format {
            ManifestFormat::Kubernetes => self.kubernetes(),
            ManifestFormat::Compose => self.compose(),
        }
    }

    fn kubernetes(&self) -> String {
        let Manifest { name, agents, image, .. } = self;
        let quantities = [
            self.processors.map(|count| format!("cpu: \"{count}\"")),
            self.memory_mib.map(|size| format!("memory: {size}Mi")),
        ];
        let quantities: Vec<String> = quantities.into_iter().flatten().collect();
        let mut resources = String::new();
        if !quantities.is_empty() {
            let indented = |key: &str| {
                let lines: String = quantities.iter().map(|line| format!("              {line}\n")).collect();
                format!("            {key}:\n{lines}")
            };
            // Equal ones, so that the pod is the last to be evicted, and has whole processors where the node gives them.
            let _ = write!(resources, "          resources:\n{}{}", indented("requests"), indented("limits"));
        }
        let class =
            self.storage_class.as_ref().map_or(String::new(), |class| format!("        storageClassName: {class}\n"));
        let (volumes, claims) = match self.volume_gib {
            None => ("      volumes:\n        - name: data\n          emptyDir: {}\n", String::new()),
            Some(size) => (
                "",
                format!(
                    "  volumeClaimTemplates:\n    - metadata:\n        name: data\n      spec:\n        accessModes: [ReadWriteOnce]\n\
                     {class}        resources:\n          requests:\n            storage: {size}Gi\n"
                ),
            ),
        };
        format!(
            "\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {name}
  labels: {{app: {name}}}
spec:
  serviceName: {name}
  replicas: {agents}
  podManagementPolicy: Parallel
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      terminationGracePeriodSeconds: 5
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector:
                matchLabels: {{app: {name}}}
      containers:
        - name: agent
          image: {image}
          command: [sleep, infinity]
          env:
            - name: XDG_CACHE_HOME
              value: {DIRECTORY}/.cache
{resources}          volumeMounts:
            - name: data
              mountPath: {DIRECTORY}
{volumes}{claims}"
        )
    }

    fn compose(&self) -> String {
        let limits = [
            self.processors.map(|count| format!("    cpus: {count}\n")),
            self.memory_mib.map(|size| format!("    mem_limit: {size}m\n")),
        ];
        let limits: String = limits.into_iter().flatten().collect();
        let image = &self.image;
        let service = |number| {
            let name = self.host_name(ManifestFormat::Compose, number);
            format!(
                "  {name}:\n    image: {image}\n    command: [sleep, infinity]\n    init: true\n    environment:\n      \
                 XDG_CACHE_HOME: {DIRECTORY}/.cache\n{limits}    volumes: [\"{name}:{DIRECTORY}\"]\n"
            )
        };
        let services: String = (1..=self.agents).map(service).collect();
        let volume = |number| format!("  {}: {{}}\n", self.host_name(ManifestFormat::Compose, number));
        let volumes: String = (1..=self.agents).map(volume).collect();
        format!("services:\n{services}volumes:\n{volumes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_host::{RemoteHost, Way};

    fn manifest() -> Manifest {
        Manifest {
            name: "dbdyno".to_owned(),
            agents: 2,
            image: "debian:12".to_owned(),
            processors: Some(4),
            memory_mib: Some(8_192),
            volume_gib: None,
            storage_class: None,
        }
    }

    #[test]
    fn the_file_of_hosts_names_what_is_made() {
        for (format, names, program) in [
            (ManifestFormat::Kubernetes, ["dbdyno-0", "dbdyno-1"], "kubectl"),
            (ManifestFormat::Compose, ["dbdyno-1", "dbdyno-2"], "docker"),
        ] {
            let hosts = RemoteHost::parse_file(&manifest().hosts(format)).unwrap();
            assert_eq!(hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>(), names);
            for host in &hosts {
                assert_eq!(host.directory.as_deref(), Some("/data"));
                let Way::Command(words) = &host.way else { panic!("{host:?}") };
                assert!(words[0] == program && words.contains(&host.name), "{words:?}");
            }
            let text = manifest().text(format);
            assert!(text.contains("debian:12") && text.contains("[sleep, infinity]"), "{text}");
        }
    }

    #[test]
    fn limits_and_volumes_are_those_that_were_asked_for() {
        let of = |change: fn(&mut Manifest), format| {
            let mut manifest = manifest();
            change(&mut manifest);
            manifest.text(format)
        };
        let plain = of(|_| (), ManifestFormat::Kubernetes);
        assert_eq!(plain.matches("cpu: \"4\"").count(), 2, "requests and limits");
        assert!(plain.contains("memory: 8192Mi") && plain.contains("emptyDir: {}") && plain.contains("replicas: 2"));
        let kept = of(
            |manifest| (manifest.volume_gib, manifest.storage_class) = (Some(100), Some("fast".to_owned())),
            ManifestFormat::Kubernetes,
        );
        assert!(
            kept.contains("storage: 100Gi") && kept.contains("storageClassName: fast") && !kept.contains("emptyDir")
        );
        let unlimited =
            of(|manifest| (manifest.processors, manifest.memory_mib) = (None, None), ManifestFormat::Kubernetes);
        assert!(!unlimited.contains("limits"), "{unlimited}");
        let compose = of(|_| (), ManifestFormat::Compose);
        assert!(compose.contains("cpus: 4\n") && compose.contains("mem_limit: 8192m\n"), "{compose}");
    }

    #[test]
    fn what_would_be_another_text_is_refused() {
        let refused = |change: fn(&mut Manifest)| {
            let mut manifest = manifest();
            change(&mut manifest);
            manifest.check().unwrap_err().to_string()
        };
        for name in ["", "Name", "a b", "-a", "a-", "a\nb", "a234567890123456789012345678901234567890"] {
            let mut named = manifest();
            named.name = name.to_owned();
            assert!(named.check().is_err(), "{name:?}");
        }
        assert!(refused(|manifest| manifest.image = "a\n  b: c".to_owned()).contains("cannot be an image"));
        assert!(refused(|manifest| manifest.storage_class = Some("x y".to_owned())).contains("storage class"));
        assert!(manifest().check().is_ok());
    }
}
