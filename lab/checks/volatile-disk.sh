# A guest whose disk loses what it was not told to flush: what its programs of system calls were promised survives at a hundred
# moments of one guest, and in guests that are killed. It runs on this host, which starts the guests; it needs root, FUSE and loop
# devices. VOLATILE_DISK=PATH is the program; without, a release build of this tree. VOLATILE_DISK_KILLS=N kills so many guests; without, 10.
set -euo pipefail

if [ -z "${VOLATILE_DISK:-}" ]; then
  cargo build --quiet --release --locked --package dbdyno-crash --example volatile_disk
  VOLATILE_DISK=target/release/examples/volatile_disk
fi
exec "$VOLATILE_DISK" guests lab/guest ${VOLATILE_DISK_KILLS:-}
