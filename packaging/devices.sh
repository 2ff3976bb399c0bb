#!/usr/bin/env bash
# Makes the devices of a root that need no hardware, and nothing else, in ROOT/dev: no disk of this machine is seen there. Must be
# called in a mount namespace of its own. A caller may mount on dev/shm and dev/pts.
#
#   packaging/devices.sh ROOT
set -euo pipefail

dev=${1:?a root}/dev
mount -t tmpfs -o mode=755,nosuid,noexec,size=1m tmpfs "$dev"
while read -r name minor; do mknod -m 666 "$dev/$name" c 1 "$minor"; done <<DEVICES
null 3
zero 5
full 7
random 8
urandom 9
DEVICES
ln -s /proc/self/fd "$dev/fd"
ln -s fd/0 "$dev/stdin"
ln -s fd/1 "$dev/stdout"
ln -s fd/2 "$dev/stderr"
ln -s pts/ptmx "$dev/ptmx"
mkdir "$dev/shm" "$dev/pts"
mount -o remount,ro "$dev"
