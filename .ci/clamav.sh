# The virus scanner that the tests start, with signatures of their own: none are fetched. Nothing to do where the caller has one, in CLAMD_HOST and CLAMD_PORT.

use_clamd() {
  [[ -z ${CLAMD_HOST:-} ]] || return 0
  if ! command -v clamd > /dev/null; then
    echo "Installing ClamAV."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clamav-daemon > /dev/null || return 1
  fi
  clamd --version > /dev/null
}
