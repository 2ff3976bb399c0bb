# Software RAID: levels 0, 1 and 5, complete, without a member, and while a member is rebuilt; what they write to their
# members; a slow member.
. /lab/expect.sh

modprobe -a raid0 raid1 raid456 dm-delay

# array LEVEL DRIVE...: /dev/md0 with a file system at /mnt/array.
array() {
  level=$1
  shift
  mdadm --create /dev/md0 --run --level="$level" --raid-devices=$# --metadata=1.2 --assume-clean "$@" 2>/dev/null
  # Nothing is left for the kernel to initialise while something is measured.
  mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/md0
  mkdir -p /mnt/array
  mount /dev/md0 /mnt/array
}

# proves TEXT...: the proof of the volume says each TEXT; once more where other work in the guest made its runs invalid.
proves() {
  for attempt in 1 2 3; do
    rm -f /tmp/volume.jsonl
    dbdyno prove volume --dir /mnt/array --size 48M --seconds 0.7 --rounds 1 --no-html --record /tmp/volume.jsonl \
      >/tmp/volume.txt 2>&1 && says "$@" && return 0
  done
  cat /tmp/volume.txt
  return 1
}
says() {
  for text; do
    tr -s ' \n' ' ' </tmp/volume.txt | grep -qF "$text" || return 1
  done
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
expect 'it writes each byte once' proves 'md0 (raid0 of 2)' 'as the level predicts (1.00)'
stop /dev/$drive1 /dev/$drive2

array 1 /dev/$drive1 /dev/$drive2
inventory /mnt/array
expect 'a complete RAID 1 has no warning' is_silent
expect 'it writes each byte twice' proves 'md0 (raid1 of 2)' 'as the level predicts (2.00)'
mdadm /dev/md0 --fail /dev/$drive2 2>/dev/null
inventory /mnt/array
expect 'RAID 1 without a member is degraded' holds '.host.devices[0].array | .missing_count == 1 and .member_count == 2'
expect 'and the failed member is named' warns "md0 is degraded: 1 of 2 members missing ($drive2 failed)"
expect 'it can be measured' measures /mnt/array raid1
expect 'and writes each byte once' proves 'md0 (raid1 of 2, 1 missing)' 'as the level predicts (1.00)'
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
expect 'it writes data and parity' proves 'md0 (raid5 of 3)' 'as the level predicts (2.00)'
mdadm /dev/md0 --fail /dev/$drive3 2>/dev/null
inventory /mnt/array
expect 'RAID 5 without a member is degraded' warns 'md0 is degraded: 1 of 3 members missing'
expect 'and writes two thirds of that' proves 'as the level predicts (1.33)'
stop /dev/$drive1 /dev/$drive2 /dev/$drive3

echo "0 $(blockdev --getsz /dev/$drive2) delay /dev/$drive2 0 5" | dmsetup create slow
array 0 /dev/$drive1 /dev/mapper/slow
expect 'a member that takes 5 ms longer is named as the slow one' proves 'dm-0 is slow: its I/O takes'
stop /dev/$drive1 /dev/mapper/slow
finish
