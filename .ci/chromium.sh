# A browser for the tests of pages: Debian's Chromium. Sets CHROMIUM_PATH, unless the caller has.

install_chromium() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium > /dev/null
}

use_chromium() {
  [[ -z ${CHROMIUM_PATH:-} ]] || return 0
  if ! command -v chromium > /dev/null; then
    echo "Installing Chromium."
    install_chromium 2> /dev/null || { as_root apt-get update -qq && install_chromium; }
  fi
  if ! CHROMIUM_PATH=$(command -v chromium); then
    echo "There is no Chromium, and it could not be installed. Set CHROMIUM_PATH to one that is there."
    return 1
  fi
  export CHROMIUM_PATH
}
