# An S3 that others wrote, for one run of the tests: OpenStack Swift, on a free port. Sets S3_TEST_ENDPOINT and what belongs to it, unless the caller has.

use_s3() {
  s3_process=
  [[ -z ${S3_TEST_ENDPOINT:-} ]] || return 0
  # Debian's Python with Debian's packages, whatever else there is for those who develop with Python.
  local python=(env -u PYTHONPATH -u PYTHONHOME /usr/bin/python3)
  if ! "${python[@]}" -c 'import swift.common.middleware.s3api' 2> /dev/null; then
    echo "Installing OpenStack Swift."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-swift > /dev/null || return 1
  fi
  s3_folder=$(mktemp -d)
  "${python[@]}" .ci/s3.py "$s3_folder" restwright > "$s3_folder/address" &
  s3_process=$!
  for _ in {1..300}; do
    [[ ! -s $s3_folder/address ]] || break
    kill -0 "$s3_process" 2> /dev/null || return 1
    sleep 0.1
  done
  if [[ ! -s $s3_folder/address ]]; then
    echo "Swift has said no address for half a minute."
    return 1
  fi
  export S3_TEST_ENDPOINT S3_TEST_SERVER=swift S3_TEST_BUCKET=restwright S3_TEST_ACCESS_KEY_ID=test:tester S3_TEST_SECRET_ACCESS_KEY=testing
  S3_TEST_ENDPOINT=$(cat "$s3_folder/address")
}

remove_s3() {
  [[ -n ${s3_process:-} ]] || return 0
  kill "$s3_process" 2> /dev/null || echo "Swift had ended by itself: where S3_TEST_ENDPOINT did not answer, that is why."
  wait "$s3_process" 2> /dev/null
  rm -rf "$s3_folder"
  s3_process=
  unset S3_TEST_ENDPOINT S3_TEST_SERVER S3_TEST_BUCKET S3_TEST_ACCESS_KEY_ID S3_TEST_SECRET_ACCESS_KEY
}
