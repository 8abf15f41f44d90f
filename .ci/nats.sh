# A NATS server with JetStream of its own for one run of the tests, on a free port: Debian's. Sets NATS_URL, unless the caller has.

use_nats() {
  nats_process=
  [[ -z ${NATS_URL:-} ]] || return 0
  use_program NATS_SERVER nats-server nats-server || return 1
  local port
  port=$(free_port)
  nats_folder=$(mktemp -d)
  "$NATS_SERVER" --addr 127.0.0.1 --port "$port" --jetstream --store_dir "$nats_folder" > /dev/null 2>&1 &
  nats_process=$!
  for _ in {1..100}; do
    (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break
    kill -0 "$nats_process" 2> /dev/null || return 1
    sleep 0.1
  done
  export NATS_URL="nats://127.0.0.1:$port"
}

remove_nats() {
  [[ -n ${nats_process:-} ]] || return 0
  kill "$nats_process" 2> /dev/null
  wait "$nats_process" 2> /dev/null
  rm -rf "$nats_folder"
}
