# Software RAID: levels 0, 1 and 5, complete, without a member, and while a member is rebuilt.
. /lab/expect.sh

modprobe -a raid0 raid1 raid456

# array LEVEL DRIVE...: /dev/md0 with a file system at /mnt/array.
array() {
  level=$1
  shift
  mdadm --create /dev/md0 --run --level="$level" --raid-devices=$# --metadata=1.2 --assume-clean "$@" 2>/dev/null
  mkfs.ext4 -q -F /dev/md0
  mkdir -p /mnt/array
  mount /dev/md0 /mnt/array
}

stop() {
  umount /mnt/array
  mdadm --stop /dev/md0 2>/dev/null
  mdadm --zero-superblock "$@" 2>/dev/null
}

array 0 /dev/$drive1 /dev/$drive2
inventory /mnt/array
expect 'RAID 0 is known with its members' holds '.host.devices[0].array | .level == "raid0" and (.members | length) == 2'
expect 'a complete RAID 0 has no warning' is_silent
expect 'it can be measured' measures /mnt/array raid0
stop /dev/$drive1 /dev/$drive2

array 1 /dev/$drive1 /dev/$drive2
inventory /mnt/array
expect 'a complete RAID 1 has no warning' is_silent
mdadm /dev/md0 --fail /dev/$drive2 2>/dev/null
inventory /mnt/array
expect 'RAID 1 without a member is degraded' holds '.host.devices[0].array | .missing_count == 1 and .member_count == 2'
expect 'and the failed member is named' warns "md0 is degraded: 1 of 2 members missing ($drive2 failed)"
expect 'it can be measured' measures /mnt/array raid1
expect 'and its report says so' sh -c 'dbdyno report /tmp/raid1.jsonl | grep -q "md0 is degraded"'
# Slow enough to be seen.
echo 100 >/sys/block/md0/md/sync_speed_max
mdadm /dev/md0 --remove /dev/$drive2 --add /dev/$drive3 2>/dev/null
sleep 1
inventory /mnt/array
expect 'a rebuild is told with its progress' warns 'md0 is busy with its members (recover'
stop /dev/$drive1 /dev/$drive2 /dev/$drive3

array 5 /dev/$drive1 /dev/$drive2 /dev/$drive3
inventory /mnt/array
expect 'RAID 5 has the size of its chunks' holds '.host.devices[0].array | .level == "raid5" and .chunk_bytes == 524288'
expect 'all of its members are listed below it' holds \
  "([.host.devices[].name] | sort) == ([\"md0\", \"$drive1\", \"$drive2\", \"$drive3\"] | sort)"
mdadm /dev/md0 --fail /dev/$drive3 2>/dev/null
inventory /mnt/array
expect 'RAID 5 without a member is degraded' warns 'md0 is degraded: 1 of 3 members missing'
stop /dev/$drive1 /dev/$drive2 /dev/$drive3
finish
