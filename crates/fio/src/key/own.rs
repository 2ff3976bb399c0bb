//! Keys of dbdyno only, which fio does not know.

use super::{Key, effect};
use crate::key::Form::{Switch, Text};

pub(crate) const KEYS: &[Key] = &[
    // A write and the sync that makes it durable are one operation with one latency; requires fsync=1, fdatasync=1 or
    // sync=.
    effect("commit", &[], Switch),
    // `20%/30s`: active for the first 20 % of every 30 s. A rate applies within a burst.
    effect("burst", &[], Text),
];
