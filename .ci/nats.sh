# A NATS server with JetStream of its own for one run of the tests, on a free port: Debian's. Sets NATS_URL, unless the caller has.

use_nats() {
  nats_process=
  [[ -z ${NATS_URL:-} ]] || return 0
  local program port
  if ! PATH=$PATH:/usr/sbin command -v nats-server > /dev/null; then
    echo "Installing NATS."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nats-server > /dev/null || return 1
  fi
  program=$(PATH=$PATH:/usr/sbin command -v nats-server) || return 1
  port=$(node -e 'const server = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')
  nats_folder=$(mktemp -d)
  "$program" --addr 127.0.0.1 --port "$port" --jetstream --store_dir "$nats_folder" > /dev/null 2>&1 &
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
