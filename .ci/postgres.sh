# A database for one run of the tests, in the PostgreSQL of this machine. Sets POSTGRES_URL, unless the caller has.

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

as_postgres() {
  if [[ $(id -u) -eq 0 ]]; then runuser -u postgres -- "$@"; else sudo -u postgres "$@"; fi
}

postgres_sql() {
  (cd / && as_postgres psql --no-password --quiet --port "$postgres_port" --dbname postgres --set ON_ERROR_STOP=1 --command "$1")
}

use_database() {
  database=
  [[ -z ${POSTGRES_URL:-} ]] || return 0
  if ! command -v pg_lsclusters > /dev/null; then
    echo "Installing PostgreSQL."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql > /dev/null || return 1
  fi
  local version cluster status _
  read -r version cluster postgres_port status _ < <(pg_lsclusters --no-header | tail -n 1)
  if [[ $status != online* ]]; then
    as_root pg_ctlcluster --skip-systemctl-redirect "$version" "$cluster" start || return 1
  fi
  local name=restwright_ci_$$
  # The benchmarks, of which some are tested, make databases of their own.
  postgres_sql "create role $name login createrole createdb password '$name'" || return 1
  database=$name
  [[ -z ${keeps_in_memory:-} ]] || commit_in_memory || return 1
  postgres_sql "create database $name owner $name encoding 'UTF8' template template0" || return 1
  # Tests expect that no definition changes, which only an event trigger of a superuser can show, and read tables of other servers.
  local prepared
  for prepared in watchDefinitions foreignTables; do
    (cd / && as_postgres psql --no-password --quiet --port "$postgres_port" --dbname "$name" --set ON_ERROR_STOP=1) < "test/adapters/stores/mapped/introspect/$prepared.sql" || return 1
  done
  export POSTGRES_URL="postgres://$name:$name@127.0.0.1:$postgres_port/$name"
}

# commit_in_memory: connections from here on do not wait until what they commit is on the disk.
commit_in_memory() {
  postgres_sql "alter role $database set synchronous_commit = off"
}

remove_database() {
  [[ -n ${database:-} ]] || return 0
  local name
  for name in $(postgres_sql "copy (select format('%I', datname) from pg_database where datdba = '$database'::regrole) to stdout"); do
    postgres_sql "drop database if exists $name with (force)"
  done
  postgres_sql "drop role if exists $database"
}
