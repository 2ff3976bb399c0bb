# A way of known delay and rate between two network namespaces.
. /lab/expect.sh

modprobe -a veth sch_netem sch_tbf 2>/dev/null
ip netns add far
ip link add near0 type veth peer name far0 netns far
ip address add 10.77.0.1/24 dev near0
ip -n far address add 10.77.0.2/24 dev far0
ip link set near0 up
ip -n far link set far0 up
ip -n far link set lo up
ip netns exec far dbdyno network serve --listen 10.77.0.2:5250 >/tmp/peer.txt 2>&1 &
peer=$!
for attempt in $(seq 50); do grep -q listening /tmp/peer.txt && break; sleep 0.2; done

# shape NEAR FAR: the queueing discipline of each end, in the words of tc.
shape() {
  tc qdisc replace dev near0 root $1
  tc -n far qdisc replace dev far0 root $2
}

# measures_way NAME: the probes with one connection, into NAME.jsonl in /tmp. Runs that a busy guest disturbs are kept.
measures_way() {
  rm -f "/tmp/$1.jsonl"
  dbdyno network 10.77.0.2:5250 --jobs 1 --seconds 3 --dir /tmp --no-html --record "/tmp/$1.jsonl" >"/tmp/$1.txt" 2>&1
  figures "$1" '.status == "finished" and ([.runs[].outcome.status] == ["done", "done", "done"])'
}

# figures NAME FILTER: the jq FILTER is true of the record NAME. Its functions: the median and the fastest of all round trips
# in milliseconds (a slow guest may add any time to a median, and takes none from the fastest), and the rate at which bytes arrived in megabits per second.
figures() {
  dbdyno report "/tmp/$1.jsonl" --format json >/tmp/record.json
  local own='def run(code): .runs[] | select(.test == code);
    def median: run("N11") | .service.p50_ns / 1e6;
    def fastest: run("N11") | .service.min_ns / 1e6;
    def megabits(code): run(code) | .totals.bytes * 8e3 / .window_ns;
    def growth(code; name): run(code) | .readings | (last.values[name] - first.values[name]);'
  jq -e "$own $2" /tmp/record.json >/dev/null ||
    { jq -c "$own"' [median, fastest, megabits("N21"), megabits("N22")]' /tmp/record.json; return 1; }
}

shape 'pfifo limit 1000' 'pfifo limit 1000'
expect 'a way without delay is measured' measures_way plain
expect 'its round trip is below that of the delays' figures plain 'fastest < 5'
expect 'the interface on the way is known at both ends' figures plain \
  '.plan.network | .near.interface.name == "near0" and .far.interface.name == "far0"'
expect 'the interface counts what was sent' figures plain \
  'growth("N21"; "interface_sent_bytes") >= (run("N21") | .totals.bytes) * 0.9'
expect 'a busy peer on the same host is no other program' figures plain \
  '[.runs[].foreign_load.programs[]?.name] | index("dbdyno") == null'

# Emulation of delays is not in every kernel.
if tc qdisc replace dev near0 root netem delay 5ms 2>/dev/null; then
  shape 'netem delay 5ms limit 100000' 'pfifo limit 1000'
  expect 'a delay of 5 ms one way is measured' measures_way one-way
  expect 'a round trip has it once' figures one-way 'median >= 5 and fastest >= 5 and fastest < 10'
  shape 'netem delay 5ms limit 100000' 'netem delay 5ms limit 100000'
  expect 'a delay of 5 ms each way is measured' measures_way both-ways
  expect 'a round trip has it twice' figures both-ways 'median >= 10 and fastest >= 10 and fastest < 20'
else
  echo 'no netem in this kernel: delays are not checked'
fi

shape 'tbf rate 80mbit burst 64kb latency 50ms' 'pfifo limit 1000'
expect 'a way with a limit of 80 Mbit/s to the peer is measured' measures_way limited
expect 'bytes arrive at that rate, less headers' figures limited 'megabits("N21") | . > 60 and . <= 81'
expect 'the other direction has no limit' figures limited 'megabits("N22") > 100'
shape 'pfifo limit 1000' 'tbf rate 80mbit burst 64kb latency 50ms'
expect 'a way with a limit of 80 Mbit/s from the peer is measured' measures_way limited-from
expect 'bytes arrive at that rate, less headers' figures limited-from 'megabits("N22") | . > 60 and . <= 81'
expect 'the other direction has no limit' figures limited-from 'megabits("N21") > 100'

kill -INT $peer
wait $peer
expect 'the peer ends orderly' is "$?" 0
ip netns del far
finish
