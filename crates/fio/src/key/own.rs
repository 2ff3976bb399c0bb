//! Keys of dbdyno's own: no job file of fio has them, and fio refuses them.

use super::{Key, effect};
use crate::key::Form::{Switch, Text};

pub(crate) const KEYS: &[Key] = &[
    // A write and the sync that makes it safe are one operation with one latency; needs fsync=1, fdatasync=1 or sync=.
    effect("commit", &[], Switch),
    // `20%/30s`: at work for the first 20 % of every 30 s. A rate is then that within a burst.
    effect("burst", &[], Text),
];
