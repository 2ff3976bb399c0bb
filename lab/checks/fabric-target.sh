# Targets and connections that dbdyno makes and removes, on a kernel that has others besides.
. /lab/expect.sh

configuration=/sys/kernel/config/nvmet

# names DIRECTORY: what is in it, on one line.
names() {
  ls "$1" 2>/dev/null | tr '\n' ' '
}

# state: all that configfs and the controllers over fabrics hold.
state() {
  find $configuration -mindepth 2 2>/dev/null | sort
  find $configuration -type f -name 'a[dt]*' 2>/dev/null | sort | xargs grep -H . 2>/dev/null
  for controller in /sys/class/nvme/nvme*; do
    [ "$(cat "$controller/transport")" = pcie ] || echo "$controller"
  done
}

# refuses CODE TEXT COMMAND...: COMMAND ends with CODE and says TEXT, with a hint.
refuses() {
  local code=$1 text=$2 found=0
  shift 2
  "$@" >/tmp/refused 2>&1 || found=$?
  cat /tmp/refused
  [ "$found" -eq "$code" ] && grep -qF "$text" /tmp/refused && grep -q '^hint: ' /tmp/refused
}

# The state in which everything must end: modules loaded, and somebody else's target.
modprobe -a nvmet nvmet-tcp nvme-tcp
mkdir $configuration/subsystems/theirs $configuration/subsystems/theirs/namespaces/1 $configuration/ports/1
echo 1 >$configuration/subsystems/theirs/attr_allow_any_host
echo /dev/$drive3 >$configuration/subsystems/theirs/namespaces/1/device_path
echo 1 >$configuration/subsystems/theirs/namespaces/1/enable
echo tcp >$configuration/ports/1/addr_trtype
echo ipv4 >$configuration/ports/1/addr_adrfam
echo 127.0.0.9 >$configuration/ports/1/addr_traddr
echo 4420 >$configuration/ports/1/addr_trsvcid
ln -s $configuration/subsystems/theirs $configuration/ports/1/subsystems/theirs
nvme connect -t tcp -a 127.0.0.9 -s 4420 -n theirs >/dev/null
state >/tmp/others

# is_as_before: nothing of dbdyno, and everything of others.
is_as_before() {
  state | diff /tmp/others -
}

expect 'nothing is there at first' sh -c 'dbdyno fabric | grep "nothing of dbdyno"'
expect 'nothing to remove is no error' dbdyno fabric remove --apply
expect 'the steps are only printed' sh -c "dbdyno fabric target /dev/$drive1 >/tmp/script"
expect 'and nothing is changed' is_as_before
expect 'the script is one' sh -n /tmp/script

# By the script, and the way back by a script.
expect 'the script makes the target' sh /tmp/script
expect 'which dbdyno knows' sh -c "dbdyno fabric target /dev/$drive1 --apply | grep 'there already'"
expect 'the connecting script' sh -c 'dbdyno fabric connect >/tmp/connect && sh /tmp/connect'
sleep 1
expect 'whose connection dbdyno knows' sh -c 'dbdyno fabric connect --apply | grep "connected already"'
dbdyno fabric
expect 'the removing script' sh -c 'dbdyno fabric remove >/tmp/remove && sh /tmp/remove'
expect 'leaves nothing' is_as_before

# By dbdyno itself.
expect 'a target' dbdyno fabric target /dev/$drive1 --apply
state >/tmp/once
expect 'twice is the same' sh -c "dbdyno fabric target /dev/$drive1 --apply | grep 'nothing was changed'"
state >/tmp/twice
expect 'in all attributes' cmp /tmp/once /tmp/twice
expect 'a connection' sh -c 'dbdyno fabric connect --connections 2 --apply >/tmp/connected'
cat /tmp/connected
device=$(sed -n 's|^  device *||p' /tmp/connected)
expect 'of two queues' grep '2 queues for I/O' /tmp/connected
expect 'is not doubled' sh -c 'dbdyno fabric connect --apply | grep "connected already"'
mkdir -p /mnt/fabric
expect 'a run on its device is valid' measures /root one --device "$device"
dbdyno report /tmp/one.jsonl --format json >/tmp/one.json
expect 'of a fabric' sh -c "jq -e '.host.devices[0].paths[0].transport == \"tcp\"' /tmp/one.json"
expect 'its subsystem' sh -c "jq -e '.host.devices[0].subsystem | startswith(\"nqn.2024-01.org.dbdyno:\")' /tmp/one.json"
expect 'the command that is proposed' sh -c "$(sed -n 's|^  next *||p' /tmp/connected | sed 's/--seconds 10/--seconds 1 --no-html/')"
mkfs.ext4 -q "$device"
mount "$device" /mnt/fabric
inventory /mnt/fabric
expect 'the inventory knows it' holds '.host.devices[0].paths[0] | .transport == "tcp" and .state == "live"'
expect 'what is mounted is not disconnected' refuses 1 'mounted at /mnt/fabric' dbdyno fabric remove --apply
umount /mnt/fabric
expect 'removal' dbdyno fabric remove --apply
expect 'leaves nothing' is_as_before

# What must not be offered.
expect 'a file system is refused' refuses 1 'has the signature of an ext2' dbdyno fabric target /dev/$drive1 --apply
mount /dev/$drive1 /mnt/fabric
expect 'a mounted device is refused' refuses 1 'mounted at /mnt/fabric' dbdyno fabric target /dev/$drive1 --apply
umount /mnt/fabric
wipefs -qa /dev/$drive1
expect 'what others offer is refused' refuses 1 'offered by the subsystem theirs' dbdyno fabric target /dev/$drive3 --apply
expect 'where others listen' refuses 1 'port 1 of nvmet listens' dbdyno fabric target /dev/$drive1 --address 127.0.0.9 --apply
expect 'an address of nobody' refuses 1 'no interface' dbdyno fabric target /dev/$drive1 --address 192.0.2.1 --apply
perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:4431") or die; sleep 600' &
listener=$!
sleep 1
expect 'a port that a program has' refuses 1 'something else' dbdyno fabric target /dev/$drive1 --port 4431 --apply
kill $listener
expect 'a file in memory' refuses 1 'lies in memory' sh -c "truncate -s 64M /tmp/memory.img && dbdyno fabric target /tmp/memory.img --apply"
expect 'nobody listens' refuses 1 'nothing listens there' dbdyno fabric connect --nqn x --address 127.0.0.8 --apply
expect 'an unknown subsystem' refuses 1 'may not have this nqn' dbdyno fabric connect --nqn x --address 127.0.0.9 --apply
expect 'no target to connect to' refuses 2 'no nqn is given' dbdyno fabric connect --apply
expect 'without root' refuses 1 'by root only' setpriv --reuid 65534 --clear-groups /lab/dbdyno fabric target /root/a.img --apply
expect 'RDMA without an interface' refuses 1 'no interface' dbdyno fabric target /dev/$drive1 --transport rdma --address 10.0.0.1 --apply
expect 'what was refused leaves nothing' is_as_before

# Files, IPv6, several targets, a shared port.
truncate -s 64M /root/a.img
expect 'a file at IPv6' dbdyno fabric target /root/a.img --address ::1 --apply
expect 'is connected' dbdyno fabric connect --apply
expect 'a second target' dbdyno fabric target /dev/$drive2 --apply
expect 'a third at the same place' dbdyno fabric target /dev/$drive1 --apply
expect 'which shares the port' is "$(names $configuration/ports)" '1 56064 56065 '
expect 'several need a name' refuses 2 'fit' dbdyno fabric connect --apply
expect 'by address' refuses 2 '2 targets' dbdyno fabric connect --address 127.0.0.1 --apply
expect 'by name' sh -c "dbdyno fabric connect --apply --nqn \$(dbdyno fabric | sed -n 's/^target //p' | grep $drive2)"
dbdyno fabric
expect 'all are removed' dbdyno fabric remove --apply
expect 'and nothing is left' is_as_before

# Two at once wait for each other.
dbdyno fabric target /dev/$drive1 --apply >/tmp/first 2>&1 &
dbdyno fabric target /dev/$drive2 --apply >/tmp/second 2>&1 &
dbdyno fabric target /root/a.img --apply >/tmp/third 2>&1 &
wait
expect 'three at once' is "$(dbdyno fabric | grep -c '^target ')" 3
expect 'at one port' is "$(names $configuration/ports)" '1 56064 '

# A restriction by hand stays, and goes with the subsystem.
subsystem=$(echo $configuration/subsystems/nqn*$drive1)
mkdir $configuration/hosts/friend
echo 0 >$subsystem/attr_allow_any_host
ln -s $configuration/hosts/friend $subsystem/allowed_hosts/friend
expect 'a restricted target' sh -c "dbdyno fabric target /dev/$drive1 --apply | grep 'nothing was changed'"
expect 'stays restricted' is "$(cat $subsystem/attr_allow_any_host)" 0
expect 'which is refused to others' refuses 1 'connection was refused' dbdyno fabric connect --nqn ${subsystem##*/} --apply

# A connection whose target is gone.
dbdyno fabric connect --apply --nqn "$(dbdyno fabric | sed -n 's/^target //p' | grep $drive2)" >/dev/null
rm $configuration/ports/56064/subsystems/nqn*$drive2
sleep 2
expect 'a connection without a target' sh -c 'dbdyno fabric | grep connecting'
expect 'is removed with all else' dbdyno fabric remove --apply
rmdir $configuration/hosts/friend
expect 'and leaves nothing' is_as_before

# left_nothing FILE: removal succeeds, and nothing is left.
left_nothing() {
  dbdyno fabric remove --apply >/tmp/removed 2>&1 && is_as_before >/tmp/left 2>&1 ||
    { echo "$1"; cat /tmp/removed /tmp/left; return 1; }
}

# Every part of the steps, as an end in the middle leaves it: removed, and gone on with.
dbdyno fabric target /dev/$drive1 >/tmp/script
lines=$(wc -l </tmp/script)
kept=0 line=0
while [ $line -lt $lines ]; do
  line=$((line + 1))
  head -n $line /tmp/script | sh
  left_nothing "$line lines" || kept=$((kept + 1))
  head -n $line /tmp/script | sh
  dbdyno fabric target /dev/$drive1 --apply >/dev/null || kept=$((kept + 1))
  state | sed 's/^/ /' | cmp -s - /tmp/made || [ $line -eq 1 ] || kept=$((kept + 1))
  state | sed 's/^/ /' >/tmp/made
  left_nothing "$line lines and the rest" || kept=$((kept + 1))
done
expect 'every part of a target is removed' is "$kept" 0

# Ended at any time.
attempt=0 partial=0 whole=0 kept=0
while [ $attempt -lt 24 ]; do
  attempt=$((attempt + 1))
  dbdyno fabric target /dev/$drive1 --port 4430 --apply >/dev/null 2>&1 &
  made=$!
  # The steps follow the look at the device; the first of them is waited for.
  until [ -d $configuration/subsystems/nqn* ] 2>/dev/null || ! kill -0 $made 2>/dev/null; do :; done
  [ $((attempt % 3)) -eq 0 ] || sleep 0.00$((attempt % 7))
  kill -9 $made 2>/dev/null
  wait $made 2>/dev/null
  if [ -L $configuration/ports/56064/subsystems/nqn* ]; then whole=$((whole + 1)); else partial=$((partial + 1)); fi
  left_nothing "attempt $attempt" || kept=$((kept + 1))
done
echo "$partial of $attempt left a part, $whole a target"
expect 'a target that is killed' is "$kept" 0

kept=0
for delay in 0.05 0.1 0.15 0.2 0.3 0.4 0.6; do
  dbdyno fabric target /dev/$drive1 --apply >/dev/null
  dbdyno fabric connect --apply >/dev/null 2>&1 &
  made=$!
  sleep $delay
  kill -9 $made 2>/dev/null
  dbdyno fabric remove --apply >/dev/null 2>&1 &
  made=$!
  sleep $delay
  kill -9 $made 2>/dev/null
  wait 2>/dev/null
  left_nothing "delay $delay" || kept=$((kept + 1))
done
expect 'a connection and a removal that are killed' is "$kept" 0
expect 'others were never touched' is_as_before
finish
