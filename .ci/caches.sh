# Caches that the tests put in front of services: Debian's nginx and Varnish, which the tests start themselves. Sets NGINX and VARNISHD, unless the caller has.

use_caches() {
  use_program NGINX nginx nginx && use_program VARNISHD varnishd varnish
}

# use_program <variable> <program> <package>
use_program() {
  [[ -z ${!1:-} ]] || return 0
  local path
  # Not every user has it in the path.
  if ! path=$(PATH=$PATH:/usr/sbin command -v "$2"); then
    echo "Installing $2."
    as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$3" > /dev/null || return 1
    path=$(PATH=$PATH:/usr/sbin command -v "$2") || return 1
  fi
  export "$1=$path"
}
