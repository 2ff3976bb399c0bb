# NVMe over TCP from a drive of this machine to itself, over one path and over two.
. /lab/expect.sh

modprobe -a nvmet nvmet-tcp nvme-tcp
target=/sys/kernel/config/nvmet
subsystem=$target/subsystems/lab
mkdir $subsystem
echo 1 >$subsystem/attr_allow_any_host
mkdir $subsystem/namespaces/1
printf /dev/$drive1 >$subsystem/namespaces/1/device_path
echo 1 >$subsystem/namespaces/1/enable
for port in 1 2; do
  mkdir $target/ports/$port
  echo tcp >$target/ports/$port/addr_trtype
  echo ipv4 >$target/ports/$port/addr_adrfam
  echo 127.0.0.$port >$target/ports/$port/addr_traddr
  echo 4420 >$target/ports/$port/addr_trsvcid
  ln -s $subsystem $target/ports/$port/subsystems/lab
done
nvme connect -t tcp -a 127.0.0.1 -s 4420 -n lab --nr-io-queues=2 >/dev/null
udevadm settle

# The device of the fabric: the namespace, of which a controller over TCP has a part.
device=
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  device=$(nvme list -o json | jq -r '.Devices[] | select(.ModelNumber == "Linux") | .DevicePath' | head -1)
  [ -z "$device" ] || break
  sleep 0.5
done
name=${device#/dev/}
mkfs.ext4 -q "$device"
mkdir -p /mnt/fabric
mount "$device" /mnt/fabric

inventory /mnt/fabric
expect 'transport, address and state of the path' holds \
  '.host.devices[0].paths[0] | .transport == "tcp" and .state == "live" and (.address | contains("traddr=127.0.0.1"))'
expect 'the subsystem' holds '.host.devices[0].subsystem == "lab"'
expect 'one path of a fabric is a warning' warns "$name has one path over tcp"
expect 'a run is valid' measures /mnt/fabric one
expect 'what was read was seen by the block layer' is "$(found one device_io)" pass

nvme connect -t tcp -a 127.0.0.2 -s 4420 -n lab --nr-io-queues=2 >/dev/null
udevadm settle
sleep 1
inventory /mnt/fabric
if [ "$(cat /sys/module/nvme_core/parameters/multipath)" = Y ]; then
  expect 'two paths' holds '.host.devices[0].paths | length == 2'
  expect 'of which no warning is given' is_silent
  expect 'a run over two paths is valid' measures /mnt/fabric two
  expect 'and seen by the block layer' is "$(found two device_io)" pass
  # The second path loses its target, and tries to connect again.
  rm $target/ports/2/subsystems/lab
  sleep 2
  inventory /mnt/fabric
  expect 'a path that is down is named' warns "of $name is connecting"
fi
umount /mnt/fabric
nvme disconnect -n lab >/dev/null
finish
