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
