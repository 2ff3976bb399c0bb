# Two NUMA nodes, a drive behind each.
. /lab/expect.sh

for drive in $drive1 $drive4; do
  mkfs.ext4 -q /dev/$drive
  mkdir -p /mnt/$drive
  mount /dev/$drive /mnt/$drive
done

inventory /mnt/$drive4
expect 'two nodes and their distances' holds '[.host.cpu.numa_nodes[].distances] == [[10, 21], [21, 10]]'
expect 'the far drive is behind node 1' holds '.host.devices[0].numa_node == 1'
expect 'its port is in the tree' holds \
  "[.host.pci[] | select(.names == [\"$drive4\"])][0].above == \"0000:40:00.0\""
expect 'where all processors may be used, there is no warning' is_silent

# proves_numa DIRECTORY [OPTION...]: the matrix of the nodes, in /tmp/numa.txt.
proves_numa() {
  rm -f /tmp/numa.jsonl
  dbdyno prove numa --dir "$@" --seconds 0.3 --rounds 1 --no-html --record /tmp/numa.jsonl >/tmp/numa.txt 2>&1 ||
    { cat /tmp/numa.txt; return 1; }
}
# has_matrix: four pairs of nodes with all figures of memory, two with the drive of node 1.
has_matrix() {
  proves_numa /mnt/$drive4 --target sqlite &&
    is "$(grep -cE '^node [01] +node [01] +[0-9.]+ [^ ]+ +[0-9.]+ [^ ]* *[0-9.]+ ' /tmp/numa.txt)" 4 &&
    is "$(grep -cE '^node [01] +node 1 .* [0-9.]+ [^ ]*s$' /tmp/numa.txt)" 2 || { cat /tmp/numa.txt; return 1; }
}
expect 'each node is measured with each memory, an engine and the drive' has_matrix

# from_far: pages of node 1 that processors of other nodes have taken.
from_far() {
  awk '/other_node/ { print $2 }' /sys/devices/system/node/node1/numastat
}
grows() {
  before=$(from_far)
  proves_numa /mnt/$drive1
  [ $(($(from_far) - before)) -gt 1000 ] || { echo "$before, then $(from_far)"; return 1; }
}
expect 'memory is where it was bound' grows

# With the processor of node 0 only, all I/O crosses the link between the nodes.
mkdir /sys/fs/cgroup/near
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >/sys/fs/cgroup/near/cpuset.cpus
(
  echo 0 >/sys/fs/cgroup/near/cgroup.procs
  inventory /mnt/$drive4
)
expect 'a drive behind a node that may not be used is named' warns "$drive4 is behind NUMA node 1"
(
  echo 0 >/sys/fs/cgroup/near/cgroup.procs
  inventory /mnt/$drive1
)
expect 'the other one is not' is_silent
finish
