# A Redis of its own for one run of the tests, on a free port and without a disk. Sets REDIS_URL, unless the caller has.

use_redis() {
  redis_process=
  [[ -z ${REDIS_URL:-} ]] || return 0
  if ! command -v redis-server > /dev/null; then
    echo "Installing Redis."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq redis-server > /dev/null || return 1
  fi
  local port
  port=$(free_port)
  redis-server --port "$port" --bind 127.0.0.1 --save "" --appendonly no > /dev/null &
  redis_process=$!
  for _ in {1..50}; do
    redis-cli -p "$port" ping > /dev/null 2>&1 && break
    sleep 0.1
  done
  redis-cli -p "$port" ping > /dev/null || return 1
  export REDIS_URL="redis://127.0.0.1:$port"
}

free_port() {
  node -e 'const server = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })'
}

remove_redis() {
  [[ -z ${redis_process:-} ]] || kill "$redis_process" 2> /dev/null
}
