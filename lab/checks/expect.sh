# What the checks share: counting what holds, and reading what dbdyno tells.

failures=0

# Drive N of the guest, by its serial number: the kernel numbers controllers in the order in which they answer.
drive() {
  for controller in /sys/class/nvme/nvme*; do
    case $(cat "$controller/serial") in
      *lab-"$1"*) echo "${controller##*/}n1" ;;
    esac
  done
}
drive1=$(drive 1) drive2=$(drive 2) drive3=$(drive 3) drive4=$(drive 4)

# expect TITLE COMMAND...: COMMAND must end with 0.
expect() {
  local title=$1
  shift
  if "$@" >/tmp/expect.out 2>&1; then
    echo "ok    $title"
  else
    echo "FAIL  $title: $*"
    sed 's/^/      /' /tmp/expect.out | tail -5
    failures=$((failures + 1))
  fi
}

# holds FILTER: the jq FILTER is true of the inventory in /tmp/inventory.json.
holds() {
  jq -e "$1" /tmp/inventory.json >/dev/null || { jq -c '.host | {devices, file_system}' /tmp/inventory.json; return 1; }
}

# inventory DIRECTORY: what dbdyno tells of the platform below DIRECTORY, as JSON and as text.
inventory() {
  dbdyno inventory --dir "$1" --format json >/tmp/inventory.json && dbdyno inventory --dir "$1" >/tmp/inventory.txt
}

# warns TEXT: the inventory has a warning with TEXT.
warns() {
  sed -n '/^Warnings /,$p' /tmp/inventory.txt | tr -s ' \n' ' ' | grep -qF "$1" || { sed -n '/^Warnings /,$p' /tmp/inventory.txt; return 1; }
}

# is_silent: the inventory has no warning.
is_silent() {
  ! grep '^Warnings ' -A 9 /tmp/inventory.txt
}

# measures DIRECTORY NAME [OPTION...]: dbdyno io in DIRECTORY is a valid run whose record is NAME.jsonl in /tmp.
measures() {
  local directory=$1 name=$2
  shift 2
  dbdyno io --rw randread --bs 8k --depth 4 --size 32M --seconds 1.5 --dir "$directory" --no-html "$@" \
    --record "/tmp/$name.jsonl" 2>&1
}

# found NAME CHECK: the verdict of CHECK in the first run of a record.
found() {
  dbdyno report "/tmp/$1.jsonl" --format json |
    jq -r ".runs[0].findings[] | select(.evidence | has(\"$2\")) | .verdict"
}

# is TEXT EXPECTED: both are alike.
is() {
  [ "$1" = "$2" ] || { echo "$1 is not $2"; return 1; }
}

# The end of a file of checks.
finish() {
  [ "$failures" -eq 0 ] || echo "$failures failed"
  exit "$((failures > 0))"
}
