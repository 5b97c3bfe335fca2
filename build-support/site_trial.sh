# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The site of a user without privileges: a broker, and a job with rules that reads the rings of the service. Job, broker and tap are killed, and
# the job's disk is full for a while. In the end, every packet that the tap offered has to be in Kafka. Sourced by service_trial.sh.

readonly SITE=$SCRATCH/site RINGS=/dev/shm/flowstone-$INTERFACE PYTHON_OF_PROJECT=build/venv/bin/python
readonly FIRST_PORT=1000 MAX_RECOVERY_SECONDS=180
readonly BROKER=127.0.0.1:9092 FLINK=http://127.0.0.1:8081
# The job is not healthy if no checkpoint is complete for its interval and 10 s more.
readonly MAX_DETECTION_SECONDS=30

offered_before=0 has_site=''

# user_command NAME: sets command, which runs the launcher as the user, with state in a folder below $SITE.
user_command() {
  command=(setpriv --reuid=reader --regid=reader --init-groups env "HOME=$SITE" "FLOWSTONE_STATE=$SITE/$1" "JAVA_HOME=${JAVA_HOME:-}" /opt/flowstone/flowstone)
}

broker() {
  local command
  user_command broker
  "${command[@]}" broker "$@"
}

start_job() {
  local command
  user_command job
  "${command[@]}" job platform --rings "$RINGS" --rules "$SITE/rules.yaml" --checkpoint-interval '1 s' >>"$SITE/job.out" 2>&1 &
  job=$!
}

# Sends packets of some flows to closed ports.
send_packets() {
  local packet
  while sleep 0.05; do
    for ((packet = 0; packet < 40; packet++)); do
      echo packet >"/dev/udp/127.0.0.1/$((FIRST_PORT + RANDOM % 100))" || true
    done 2>/dev/null
  done
}

is_healthy() {
  local command
  user_command job
  "${command[@]}" stats --flink "$FLINK" >"$SITE/stats.out" 2>&1
}

# require_healthy WHEN: waits until it is.
require_healthy() {
  local until=$((SECONDS + MAX_RECOVERY_SECONDS))
  until is_healthy; do
    ((SECONDS < until)) || fail "$1: stats --flink reports no healthy job"$'\n'"$(cat "$SITE/stats.out"; tail -n 20 "$SITE/job.out")"
  done
}

# require_unhealthy WHEN: waits until it is.
require_unhealthy() {
  local until=$((SECONDS + MAX_DETECTION_SECONDS))
  while is_healthy; do
    ((SECONDS < until)) || fail "$1: stats --flink reports a healthy job"$'\n'"$(cat "$SITE/stats.out")"
  done
}

python_of_project() { PYTHONPATH=notebooks "$PYTHON_OF_PROJECT" - "$@"; }

# Packets that the tap has offered to the rings that are there now.
offered_now() {
  python_of_project "$RINGS" <<'PYTHON'
import sys
import flowstone
print(sum(ring.counters.offered_packets for ring in flowstone.rings(sys.argv[1])))
PYTHON
}

# A tap that starts replaces the rings of the former one.
keep_offered() {
  local now
  [[ -n $has_site ]] || return 0
  now=$(offered_now) || fail "cannot read the counters of $RINGS"
  offered_before=$((offered_before + now))
}

# Packets in Kafka, by themselves and in flow records, and those that are reported as lost.
delivered_and_lost() {
  python_of_project "$BROKER" <<'PYTHON'
import sys
import flowstone
packets = flowstone.consume(sys.argv[1], "packets", columns=[])
records = flowstone.result_messages(sys.argv[1], "results", "flow_record")
print(len(packets) + sum(record["packets"] for record in records), int(packets.lost_before))
PYTHON
}

# Nothing is sent any more. Flow records are emitted when their flows are idle.
require_every_packet() {
  local now offered delivered=0 lost=0 until=$((SECONDS + MAX_RECOVERY_SECONDS))
  while true; do
    now=$(offered_now) || fail "cannot read the counters of $RINGS"
    offered=$((offered_before + now))
    read -r delivered lost < <(delivered_and_lost) || fail "cannot read the topics"
    ((delivered + lost != offered)) || break
    ((SECONDS < until)) || fail "offered $offered packets, delivered $delivered, reported as lost $lost"
    sleep 1
  done
  # The rings have space for all that is sent while the job or the broker is down.
  ((lost == 0)) || fail "$lost of $offered packets are reported as lost"
  echo "all of $offered packets are in Kafka"
}

kill_and_await() {
  kill -KILL "$1"
  await_end "$1"
}

await_end() {
  local until=$((SECONDS + WAIT_SECONDS))
  while kill -0 "$1" 2>/dev/null; do
    ((SECONDS < until)) || fail "process $1 does not end"
    sleep 0.1
  done
}

start_site() {
  [[ -x $PYTHON_OF_PROJECT ]] || fail "$PYTHON_OF_PROJECT not found"
  has_site=yes
  mkdir -p "$SITE/job" "$SITE/broker"
  mount -t tmpfs -o size=400m none "$SITE/job"
  cat >"$SITE/rules.yaml" <<'RULES'
rules:
  - name: records
    match: {destination_port: 1000-1019}
    function: {aggregate: {active_timeout: 10s, idle_timeout: 2s}}
RULES
  chown -R reader: "$SITE"
  broker start
  broker topics create packets --partitions 2
  broker topics create results --partitions 1
  send_packets &
  sender=$!
  start_job
  require_healthy "the first start"
}

inject_faults() {
  kill_and_await "$job"
  require_unhealthy "the job is killed"
  start_job
  require_healthy "after the kill of the job"

  kill_and_await "$(broker status | sed -n 's/^ *process *//p')"
  require_unhealthy "the broker is killed"
  broker start
  require_healthy "after the kill of the broker"

  # systemd restarts it.
  kill_and_await "$service"
  keep_offered
  start_unit
  await_packets
  require_healthy "after the kill of the tap"

  dd if=/dev/zero of="$SITE/job/filled" bs=1M 2>/dev/null || true
  require_unhealthy "the job's disk is full"
  grep -q 'disk is full' "$SITE/job.out" || fail "the job does not report its full disk"
  rm "$SITE/job/filled"
  require_healthy "after the full disk"
}

stop_site() {
  kill "$sender"
  wait "$sender" 2>/dev/null || true
  require_every_packet
  kill -TERM "$job"
  await_end "$job"
  broker stop
  has_site=''
}
