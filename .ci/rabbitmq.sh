# RabbitMQ for one run of the tests: Debian's. Sets RABBITMQ_URL, unless the caller has. One that runs is used and stays.

rabbitmq_runs() {
  as_root rabbitmqctl --quiet await_startup --timeout "${1:-5}" > /dev/null 2>&1
}

use_rabbitmq() {
  rabbitmq_started=
  [[ -z ${RABBITMQ_URL:-} ]] || return 0
  use_program RABBITMQ_SERVER rabbitmq-server rabbitmq-server || return 1
  if ! rabbitmq_runs; then
    as_root "$RABBITMQ_SERVER" -detached > /dev/null 2>&1 || return 1
    rabbitmq_started=yes
    rabbitmq_runs 60 || return 1
  fi
  export RABBITMQ_URL=amqp://guest:guest@127.0.0.1:5672
}

remove_rabbitmq() {
  [[ -z ${rabbitmq_started:-} ]] || as_root rabbitmqctl --quiet shutdown > /dev/null 2>&1
}
