# Logical volumes, and two paths to one disk of SCSI.
. /lab/expect.sh

modprobe -a dm-mod dm-multipath dm-round-robin scsi_mod sd_mod

vgcreate -q group /dev/$drive1 /dev/$drive2 >/dev/null
lvcreate -q --stripes 2 --stripesize 64k --extents 100%FREE --name data group >/dev/null
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/group-data
mkdir -p /mnt/data
mount /dev/mapper/group-data /mnt/data
inventory /mnt/data
expect 'a logical volume is known with its members' holds \
  ".host.devices[0] | .model == \"lvm group-data\" and (.slaves | sort) == ([\"$drive1\", \"$drive2\"] | sort)"
expect 'a complete one has no warning' is_silent
expect 'it can be measured' measures /mnt/data logical
proves() {
  dbdyno prove volume --dir /mnt/data --size 48M --seconds 0.7 --rounds 1 --no-html --record /tmp/volume.jsonl \
    >/tmp/volume.txt 2>&1 || { cat /tmp/volume.txt; return 1; }
  tr -s ' \n' ' ' </tmp/volume.txt | grep -q 'of the sum of its members' || { cat /tmp/volume.txt; return 1; }
}
expect 'it is held against its members' proves
umount /mnt/data
vgremove -q -y group >/dev/null

# One disk, seen through two hosts.
modprobe scsi_debug dev_size_mb=96 add_host=2 vpd_use_hostno=0 delay=0
disks=
for _ in $(seq 50); do
  disks=$(grep -l scsi_debug /sys/block/sd*/device/model 2>/dev/null | cut -d/ -f4)
  [ "$(echo $disks | wc -w)" = 2 ] && break
  sleep 0.1
done
set -- $disks
sectors=$(cat /sys/block/$1/size)
number() { cat /sys/block/$1/dev; }
dmsetup create both --uuid mpath-both \
  --table "0 $sectors multipath 0 0 1 1 round-robin 0 2 1 $(number $1) 1 $(number $2) 1"
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/both
mkdir -p /mnt/both
mount /dev/mapper/both /mnt/both
inventory /mnt/both
expect 'a disk with two paths is known with both' holds \
  ".host.devices[0] | .model == \"mpath both\" and ([.paths[].name] | sort) == ([\"$1\", \"$2\"] | sort)"
expect 'both of them are there' is_silent
expect 'it can be measured' measures /mnt/both paths
echo offline >/sys/block/$2/device/state
inventory /mnt/both
expect 'a path that is down is named' warns "$2"
finish
