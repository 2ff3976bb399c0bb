# For the scripts beside this file, which source it: `each_placement PLACE COMPARE SESSIONS` has PLACE run the server on
# processors, and COMPARE called with a title, a number of sessions that share one thread of dbdyno and the processors of the
# clients, for each of SESSIONS: client and server on one processor, on one each, and wherever the scheduler puts them.
each_placement() { # place compare sessions
  local all placement where server client number
  all="0-$(($(nproc) - 1))"
  for placement in "one processor:0:0" "one each:1:0" "all of them:$all:$all"; do
    IFS=: read -r where server client <<<"$placement"
    [ "$(nproc)" -ge 2 ] || [ "$server" != 1 ] || continue
    "$1" "$server"
    for number in $3; do
      "$2" "$number sessions on one thread, processors of client and server: $where" "$number" "$client"
    done
  done
}
