#!/bin/sh
# Makes a Debian machine ready for every test: packages, a Docker Engine that answers, and the base image that
# Dockerfile.sandbox starts from. Run it as root. It does only what is missing: on a machine that is ready it takes about
# a second and changes nothing.
#
# The sandbox image itself is built afterwards, with what this repository ships: npx cofferdam images build
#
#   BASE_IMAGE   name of the base image                        (default: debian:bookworm-slim)
#   DOCKERD_LOG  where an Engine that is started here logs to  (default: /var/log/cofferdam-dockerd.log)
set -eu

suite=bookworm
base_image="${BASE_IMAGE:-debian:bookworm-slim}"
dockerd_log="${DOCKERD_LOG:-/var/log/cofferdam-dockerd.log}"

main() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup: run this as root: it installs packages and starts the Docker Engine" >&2
    exit 1
  fi
  install_packages
  engine_answers || start_engine
  has_image "$base_image" || make_base_image
}

install_packages() {
  missing=""
  for pair in dockerd:docker.io iptables:iptables bwrap:bubblewrap mmdebstrap:mmdebstrap git:git tar:tar rg:ripgrep; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
  done
  [ -n "$missing" ] || return 0
  say "installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086 # one word per package
  apt-get install -qq --yes --no-install-recommends $missing ca-certificates >/dev/null
}

engine_answers() {
  docker version --format '{{.Server.Version}}' >/dev/null 2>&1
}

start_engine() {
  # A service manager's Engine comes back after a reboot; ours is for machines that have none, such as a CI container.
  if [ -d /run/systemd/system ]; then
    say "starting the Docker Engine (systemd)"
    systemctl start docker
  else
    say "starting the Docker Engine, log in $dockerd_log"
    mount_cgroups
    rm -f /var/run/docker.pid
    setsid dockerd >"$dockerd_log" 2>&1 </dev/null &
  fi
  waited=0
  until engine_answers; do
    if [ "$waited" -ge 60 ]; then
      echo "setup: the Docker Engine does not answer after 60 seconds" >&2
      tail -n 20 "$dockerd_log" >&2 || true
      exit 1
    fi
    sleep 1
    waited=$((waited + 1))
  done
}

# Without a service manager nobody has mounted the control groups that the Engine's limits need.
mount_cgroups() {
  if [ -n "$(ls -A /sys/fs/cgroup 2>/dev/null)" ]; then return 0; fi
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
}

has_image() {
  docker image inspect "$1" >/dev/null 2>&1
}

# A registry is the usual source, and a machine may not reach one: then Debian's own mirror, as apt is set up here.
make_base_image() {
  if timeout 60 docker pull --quiet "$base_image" >/dev/null 2>&1; then return 0; fi
  say "making $base_image from the Debian mirror"
  scratch="$(mktemp -d)"
  trap 'rm -rf "$scratch"' EXIT
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Check|Retries|ForceIPv)' >"$scratch/apt.conf" || true
  # shellcheck disable=SC2046 # one word per file
  mmdebstrap --quiet --variant=minbase --aptopt="$scratch/apt.conf" "$suite" "$scratch/base.tar" $(debian_sources)
  docker import "$scratch/base.tar" "$base_image" >/dev/null
}

# The files that tell apt here where this suite of Debian comes from; none where the machine runs another suite, and
# then mmdebstrap takes Debian's public mirror.
debian_sources() {
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -f "$file" ] || continue
    uncommented="$(grep -v '^[[:space:]]*#' "$file")" || continue
    case "$uncommented" in
      *debian*"$suite"*main* | *debian*Suites*"$suite"*main*) ;;
      *) continue ;;
    esac
    # Only Debian's own archive: a third party's list would bring its packages and its keys into the base.
    case "$uncommented" in *"/debian "* | *"/debian-security "* | *"/debian
"* | *"/debian-security
"*) echo "$file" ;; esac
  done
}

say() {
  echo "setup: $*" >&2
}

main "$@"
