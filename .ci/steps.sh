# What `.ci/run` and `.ci/full` share: steps with names and times, the engines that tests need, and the count of all tests at the end. Both source this file.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true

for part in postgres redis rabbitmq nats s3 chromium clamav caches; do source ".ci/$part.sh"; done

work=$(mktemp -d)
keeps_in_memory=
# No step takes longer.
step_seconds=1800
started=$SECONDS
failed=()
reports=()
# Steps that run beside others: their names, by their processes.
declare -A beside=()
step_process=
node=(node)
# A test that is skipped although its engine is promised has failed.
promised=

# What is under way goes first: it uses the rest.
leave_nothing() {
  trap '' HUP INT TERM
  local process
  for process in $step_process "${!beside[@]}"; do
    kill "$process" 2> /dev/null
    wait "$process" 2> /dev/null
  done
  remove_database
  remove_redis
  remove_s3
  remove_rabbitmq
  remove_nats
  rm -rf "$work" ${keeps_in_memory:+"$keeps_in_memory"}
}
trap leave_nothing EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# step <name> <command …>
step() {
  run_step "$@" || failed+=("$1")
}

# run_step <name> <command …>: whether it succeeded, in time.
run_step() {
  local name=$1 began=$SECONDS status=0
  shift
  printf '\n=== %s\n' "$name"
  # In the background, because the shell handles a signal at once only while it waits.
  timeout --kill-after=10 "$step_seconds" "$@" &
  step_process=$!
  wait "$step_process" || status=$?
  step_process=
  end_step "$name" "$status" $((SECONDS - began))
  return "$status"
}

# end_step <name> <exit code> <seconds>
end_step() {
  printf -- '--- %s%s %d s\n' "$1" "$([[ $2 -eq 0 ]] && echo : || echo ' FAILED after')" "$3"
}

# step_beside <name> <command …>: begins a step that uses one core beside those that follow. `await_steps` waits for it and prints what it said.
step_beside() {
  local name=$1
  shift
  (
    began=$SECONDS
    status=0
    timeout --kill-after=10 "$step_seconds" "$@" &
    trap 'kill $! 2> /dev/null' TERM
    wait $! || status=$?
    end_step "$name" "$status" $((SECONDS - began))
    exit "$status"
  ) > "$work/beside.$name.log" 2>&1 &
  beside[$!]=$name
}

await_steps() {
  local process name
  for process in "${!beside[@]}"; do
    name=${beside[$process]}
    wait "$process" || failed+=("$name")
    printf '\n=== %s\n' "$name"
    cat "$work/beside.$name.log"
  done
  beside=()
}

# keep_in_memory: temporary files of the tests and commits of PostgreSQL do not wait for the disk from here on, as far as the machine has the memory. Tests sync tens of thousands
# of times, which shows nothing unless the power fails; the slow tests of `.ci/full` write to the disk.
keep_in_memory() {
  local kilobytes
  kilobytes=$(df --output=avail --block-size=1K /dev/shm 2> /dev/null | tail -n 1)
  [[ ${kilobytes:-0} -gt 8000000 ]] || return 0
  keeps_in_memory=$(mktemp -d /dev/shm/restwright.XXXXXX)
  chmod 1777 "$keeps_in_memory"
  export TMPDIR=$keeps_in_memory
  [[ -z ${database:-} ]] || commit_in_memory
}

# start_engines [all]: the servers and programs of the tests; all of them for `.ci/full`. What this script starts, it ends.
start_engines() {
  use_database && use_redis && use_chromium && use_clamd && use_caches || exit 1
  promised=postgres,redis,redis-server,chromium,clamd,nginx,varnish,curl,psql,sqlite
  [[ ${1:-} != all ]] || { use_s3 && use_program PGBOUNCER pgbouncer pgbouncer && use_rabbitmq && use_nats || exit 1; promised+=,s3,pgbouncer,rabbitmq,nats; }
}

# stop_s3: for what follows, which asks it nothing: Swift takes a whole core to answer.
stop_s3() {
  remove_s3
  promised=${promised/,s3/}
}

# vitest_on <version of Node> <name of the report> <options of vitest, --name=value> <paths>: with that Node, fetched from the registry if another one is installed.
vitest_on() {
  local version=$1 report=$2 options=() argument
  shift 2
  # A path beside others would add to what they select, so a second run gets the options only.
  for argument in "$@"; do [[ $argument != --* ]] || options+=("$argument"); done
  node=(node)
  [[ $(node --version) == "v$version."* ]] || node=(npx --yes --package "node@$version" node)
  reports+=("$report")
  run_vitest "$report" "$@" || run_again "$report" "${options[@]}" || failed+=("tests: $report")
}

# run_again <name of the report> <options of vitest>: whether files whose tests failed pass alone.
# Hundreds of tests wait for processes, leases and sockets, and a busy machine can make one of them fail. Up to five files with failed tests are run once more, alone;
# what fails then has failed, and the result names as unstable what passes.
run_again() {
  local report=$1 files
  shift
  mapfile -t files < <(node .ci/failedFiles.mjs "$work/$report.json")
  [[ ${#files[@]} -gt 0 && ${#files[@]} -le 5 ]] && run_vitest "$report.again" --no-file-parallelism "$@" "${files[@]}"
}

run_vitest() {
  local report=$1
  shift
  echo "$promised" > "$work/$report.engines"
  run_step "tests: $report" env TEST_REPORT="$work/$report" "${node[@]}" node_modules/vitest/vitest.mjs run "$@"
}

# follow_readme: the README's first two commands as they are written, which install the packages. Nothing can follow where they fail to.
follow_readme() {
  local name="README: npm ci && npm start, npm ci && npm test"
  reports+=(npm-test)
  node=(node)
  TEST_REPORT=$work/npm-test run_step "$name" node .ci/readme.mjs . || run_again npm-test --project=quick || failed+=("$name")
  [[ -d node_modules/vitest ]] || { print_result; exit 1; }
}

# check_sources: what needs no test.
check_sources() {
  step_beside "lint" npm run --silent lint
  step "types" npm run --silent types
  step "build" npm run --silent build
  step "knip" npm run --silent knip
  await_steps
}

# print_result: the count of all tests, and what failed besides. The last line is `N passed, N failed`.
print_result() {
  printf '\n=== result, after %d s\n' $((SECONDS - started))
  node .ci/tally.mjs "$work" "${reports[@]}" -- "${failed[@]}"
}

# Left to `.ci/full`: minutes for what other tests of the gate check in smaller numbers. Other tests have the mark `only-in-full`.
package_only_in_full=('**/{declaration,existingGuide,typeBars,types}.test.ts')
# What meets Node itself: HTTP, zlib, files, processes, SQLite.
meets_node=(test/adapters/{cli,hosts,stores} test/client test/capabilities/compression test/ground/{http,storage} test/parts/blobs)
# What is said to other engines is the same on every Node, and so are pages and the columns of tables of a developer.
same_on_every_node=('test/adapters/stores/{postgres/postgres,redis/redis,records/rateLimit,s3/s3}*.test.ts' 'test/adapters/stores/rows/{sameRows,places}.test.ts' 'test/adapters/stores/mapped/**')
# What meets a driver of SQLite.
meets_sqlite=(
  test/ground/storage/complete.test test/adapters/stores/sqlite test/adapters/stores/rows/sameRows.test test/adapters/stores/sql/{insertMany,secret}.test
  test/adapters/stores/sql/reads/{countCache,largeReads,likeTime,longReads,plans,readPlans}.test test/adapters/stores/sql/{records/sqlIdempotency,schema/sqlMigrate}.test
  test/capabilities/{jobs,webhooks}/shared.test test/engine/service/idempotency/crashPoints.test test/engine/resource/{read/cursors,read/values,relations/includeProperty}.test test/e2e/{faults/fullDisk,kills/kill,shop/shop,shop/shopSettings}.test
)
