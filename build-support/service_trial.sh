#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# service_trial.sh TARBALL: the commands of docs/tap-service.md, as they stand there, in namespaces of their own. /opt, /etc and /dev/shm are
# others that end with it, the only interface is lo. There is no systemd: what stands in for systemctl runs the unit's command as the unit's
# user with the unit's capabilities. The tap gets UDP packets alone, or it would capture what the job sends to Kafka. Needs root.
set -euo pipefail
readonly TRIAL=$(readlink -f "${BASH_SOURCE[0]}") TARBALL=$(readlink -f "$1")
cd "$(dirname "$TRIAL")/.."
readonly PAGE=docs/tap-service.md UNIT=/etc/systemd/system/flowstone-tap@.service INTERFACE=lo METRICS_PORT=9400
readonly WAIT_SECONDS=60
readonly SCRATCH=${2:-}
if [[ -z $SCRATCH ]]; then
  readonly MOUNT_POINT=$(mktemp -d)
  trap 'rmdir "$MOUNT_POINT"' EXIT
  unshare --mount --net --pid --fork --kill-child --mount-proc "$TRIAL" "$TARBALL" "$MOUNT_POINT"
  exit
fi

fail() { echo "FAILED: $*" >&2; exit 1; }

source build-support/site_trial.sh

# Mounts the folder of the same name below $SCRATCH over a folder.
replace() {
  mkdir -p "$SCRATCH$1"
  mount --bind "$SCRATCH$1" "$1"
}

# The commands below a heading of the page, for this interface, this tarball and a small machine.
commands_below() {
  awk -v heading="## $1" '$0 == heading { on = 1; next } /^## / { on = 0 } on && /^    / { print substr($0, 5) }' "$PAGE" |
    sed -e "s/eth0/$INTERFACE/g; s/4g/64m/; s/--metrics $METRICS_PORT/& --filter udp/; \#^./flowstone dist#d; s#build/dist/flowstone-\*.tar.gz#$TARBALL#"
}

of_unit() { sed -n "s/^$1=//p" "$UNIT" | sed "s/%[iI]/$INTERFACE/g"; }

systemctl() {
  case $1 in
    daemon-reload) ;;
    enable) start_unit ;;
    restart) stop_unit && start_unit ;;
    disable) stop_unit ;;
    *) fail "the page has 'systemctl $*', and nothing stands in for it" ;;
  esac
}

start_unit() {
  local user options capability command
  user=$(of_unit User)
  options=$(sed -n 's/^OPTIONS=//p' "$(of_unit EnvironmentFile | sed 's/^-//')")
  capability=+$(of_unit AmbientCapabilities | sed 's/^CAP_//' | tr '[:upper:]' '[:lower:]')
  read -ra command <<<"$(of_unit ExecStart | sed "s#\$OPTIONS#$options#")"
  env --ignore-environment --chdir=/ HOME=/nonexistent "USER=$user" "PATH=$PATH" \
    setpriv --reuid="$user" --regid="$(of_unit Group)" --init-groups --no-new-privs --inh-caps="-all,$capability" \
    --ambient-caps="-all,$capability" --bounding-set="-all,$capability" "${command[@]}" &
  service=$!
}

# As the page says: status 0 after SIGTERM.
stop_unit() {
  kill -"$(of_unit KillSignal | sed 's/^SIG//')" "$service"
  wait "$service" || fail "the service ended with status $?"
  keep_offered
}

metrics() {
  exec 3<>"/dev/tcp/127.0.0.1/$METRICS_PORT" && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3
} 2>/dev/null

offered() { metrics | sed -n 's/^flowstone_tap_offered_packets_total.* \([0-9]*\).*/\1/p'; }

# Sends to a closed port until the tap has offered packets to its rings.
await_packets() {
  local until=$((SECONDS + WAIT_SECONDS))
  until [[ $(offered) -gt 0 ]]; do
    kill -0 "$service" || fail "the service has ended"
    ((SECONDS < until)) || fail "the tap offers no packet"
    echo packet >/dev/udp/127.0.0.1/9 2>/dev/null || true
    sleep 0.1
  done
}

as_reader() { setpriv --reuid=reader --regid=reader --init-groups env HOME=/nonexistent "$@"; }

# Without what the management of users keeps.
listing() { find /opt /etc /dev/shm ! -path '/etc/*-' ! -name .pwd.lock | sort; }

require_reader() {
  as_reader "/opt/flowstone/flowstone" stats "/dev/shm/flowstone-$INTERFACE" >/dev/null || fail "a member of the group cannot read the rings"
}

[[ $PWD/ != /opt/* && $TARBALL != /opt/* ]] || fail "the project is below /opt, in whose place another folder is put"
mount -t tmpfs none "$SCRATCH"
mkdir "$SCRATCH/etc" "$SCRATCH/next"
cp -a /etc/. "$SCRATCH/etc"
if [[ ${JAVA_HOME:-} == /opt/* ]]; then
  mkdir -p "$SCRATCH$JAVA_HOME"
  mount --bind "$JAVA_HOME" "$SCRATCH$JAVA_HOME"
fi
replace /opt
replace /etc
replace /dev/shm
chmod 1777 /dev/shm
ip link set "$INTERFACE" up
mkdir -p /etc/systemd/system
before=$(listing)

[[ $(commands_below Install) == *'--filter udp'* ]] || fail "the page has no --metrics $METRICS_PORT to put a filter behind"
eval "$(commands_below Install)"
useradd --no-create-home --groups flowstone reader
await_packets
require_reader
start_site
inject_faults

# A version of another number, as far as its folder goes.
next=$SCRATCH/next
tar -C "$next" -xzf "$TARBALL"
mv "$next"/flowstone-* "$next/flowstone-next"
tar -C "$next" -czf "$next/flowstone-next.tar.gz" flowstone-next
first=$service
eval "$(commands_below Upgrade | sed "s#$TARBALL#$next/flowstone-next.tar.gz#")"
[[ $service != "$first" && $(readlink /opt/flowstone) == flowstone-next ]] || fail "the upgrade has started nothing new"
await_packets
require_reader
require_healthy "after the upgrade"
stop_site

eval "$(commands_below Remove)"
userdel reader
after=$(listing)
[[ $before == "$after" ]] || fail "the removal leaves something:"$'\n'"$(diff <(echo "$before") <(echo "$after"))"
[[ -z $(pgrep -f flowstone-"$INTERFACE") ]] || fail "the removal leaves a process"
! getent passwd flowstone && ! getent group flowstone || fail "the removal leaves user or group"
echo "installed, upgraded and removed as $PAGE says"
