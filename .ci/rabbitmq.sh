# RabbitMQ for one run of the tests: Debian's. Sets RABBITMQ_URL, unless the caller has. One that runs is used and stays.

rabbitmq_runs() {
  as_root rabbitmqctl --quiet await_startup --timeout "${1:-5}" > /dev/null 2>&1
}

use_rabbitmq() {
  rabbitmq_started=
  [[ -z ${RABBITMQ_URL:-} ]] || return 0
  if ! PATH=$PATH:/usr/sbin command -v rabbitmq-server > /dev/null; then
    echo "Installing RabbitMQ."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends rabbitmq-server > /dev/null || return 1
  fi
  if ! rabbitmq_runs; then
    as_root rabbitmq-server -detached > /dev/null 2>&1 || return 1
    rabbitmq_started=yes
    rabbitmq_runs 60 || return 1
  fi
  export RABBITMQ_URL=amqp://guest:guest@127.0.0.1:5672
}

remove_rabbitmq() {
  [[ -z ${rabbitmq_started:-} ]] || as_root rabbitmqctl --quiet shutdown > /dev/null 2>&1
}
