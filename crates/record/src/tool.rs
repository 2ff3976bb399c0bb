//! The program that measured, as far as it can be told from others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program that measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Version of dbdyno.
    pub version: String,
    /// Whether it was built with optimisation; figures of an unoptimised build mean nothing.
    pub optimised: bool,
    /// What it was built from and with; absent in records of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// What a program was built from and with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The git commit of the sources in hexadecimal digits; absent where it was built outside of a git tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether the sources were those of that commit, without changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<bool>,
    /// The compiler, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// The platform that it was built for (`x86_64-unknown-linux-gnu`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Profile and level of optimisation, flags of the compiler, and the processor that it was built for, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// SHA-256 of the running program in hexadecimal digits; absent where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_sha256: Option<String>,
}
