# For the scripts beside this file, which source it: `each_placement PLACE COMPARE SESSIONS` has PLACE run the server on
# processors, and COMPARE called with a title, a number of sessions that share one thread of dbdyno and the processors of the
# clients, for each of SESSIONS: client and server on one processor, on one each, and wherever the scheduler puts them.
each_placement() { # place compare sessions
  # PLACE and COMPARE see these names: they are none of the scripts'.
  local placement where of_server of_client number
  for placement in "one processor:0:0" "one each:1:0" "all of them:0-$(($(nproc) - 1)):0-$(($(nproc) - 1))"; do
    IFS=: read -r where of_server of_client <<<"$placement"
    [ "$(nproc)" -ge 2 ] || [ "$of_server" != 1 ] || continue
    "$1" "$of_server"
    for number in $3; do
      "$2" "$number sessions on one thread, processors of client and server: $where" "$number" "$of_client"
    done
  done
}
