#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the default tests of modules that depend on time, repeatedly, on one core that a busy loop shares at the same priority.
# The exit status is 1 if a test failed in any round, or if the time limit was reached first.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
readonly ROOT=$PWD
source build-support/setup.sh

readonly DEFAULT_MODULES=(tap offheap connector-fpga-source operators jobs/endpoints)
readonly LOGS=$BUILD_DIR/bad-day
readonly FAILURES=$LOGS/failures
readonly MODULE_LIMIT_SECONDS=1800
# As in the default run.
readonly TEST_LIMIT=3m

usage() {
  cat <<TEXT
./flowstone test bad-day [OPTIONS] [MODULE...]

Runs the default tests of the modules on one core, beside a busy loop on that core. Default: ${DEFAULT_MODULES[*]}.

  --rounds N     number of rounds; default 10
  --minutes N    time limit of all rounds; default 240
TEXT
}

# require_number OPTION VALUE
require_number() {
  [[ ${2:-} =~ ^[1-9][0-9]{0,4}$ ]] || fail_usage "$1 must be 1 to 99999: ${2:-}"
}

rounds=10 minutes=240 modules=()
while (($#)); do
  case $1 in
    --rounds) require_number "$1" "${2:-}" && rounds=$2 && shift ;;
    --minutes) require_number "$1" "${2:-}" && minutes=$2 && shift ;;
    --help | -h) usage && exit ;;
    -*) fail_usage "test bad-day: unknown option '$1'; use --rounds, --minutes" ;;
    *) modules+=("${1%/}") ;;
  esac
  shift
done
((${#modules[@]})) || modules=("${DEFAULT_MODULES[@]}")
for module in "${modules[@]}"; do
  [[ -d $module/src/test ]] || fail_usage "test bad-day: no module with tests: $module"
done

busy='' runner=''
stop() {
  local pid
  for pid in $runner $busy; do kill "$pid" 2>/dev/null || true; done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

compile() {
  # Without the emulated card its tests would be skipped.
  if [[ -z ${FLOWSTONE_EMULATOR:-} && " ${modules[*]} " == *" tap "* ]]; then
    local targets=(emulator)
    ! command -v verilator >/dev/null || targets+=(emulator-rtl)
    make --silent -j2 -C hw "${targets[@]}" >"$LOGS/emulator.log" 2>&1 9>&- || fail "the emulated card cannot be built: $(first_error "$LOGS/emulator.log")"
    export FLOWSTONE_EMULATOR=$ROOT/hw/target
  fi
  say "compiling ${modules[*]} (log: $LOGS/build.log)"
  maven -T1C -pl "$(IFS=,; echo "${modules[*]}")" -am -DskipTests -Dspotless.check.skip test-compile \
    dependency:build-classpath -Dmdep.includeScope=test -Dmdep.outputFile=target/test.classpath </dev/null 9>&- >"$LOGS/build.log" ||
    fail "$(build_failure "$LOGS/build.log")"
}

# class_path_of MODULE: its tests, and the launcher of the engines' release, which Maven's test plugin has stored beside them.
class_path_of() {
  local list=$ROOT/$1/target/test.classpath engine launcher
  engine=$(grep -o -E '[^:]+/junit-platform-engine-[^/:]+\.jar' "$list") || fail "no junit-platform-engine in $list"
  launcher=${engine//junit-platform-engine/junit-platform-launcher}
  # Maven fetches it only when it runs tests.
  [[ -r $launcher ]] || maven dependency:get -Dtransitive=false "-Dartifact=org.junit.platform:junit-platform-launcher:$(basename "${launcher%/*}")" </dev/null 9>&- >>"$LOGS/build.log" ||
    fail "$(build_failure "$LOGS/build.log")"
  echo "$ROOT/$1/target/test-classes:$ROOT/$1/target/classes:$(<"$list"):$launcher"
}

# compiler_of MODULE: as in the default run, which compiles with C1 unless the module needs C2.
compiler_of() { grep -q '<flowstone.test.compiler/>' "$1/pom.xml" || echo -XX:TieredStopAtLevel=1; }

# If this script is killed and cannot stop the loop, the loop terminates: it checks that the script is still running.
start_busy_loop() {
  # shellcheck disable=SC2016
  taskset -c "$core" bash -c 'while kill -0 "$0" 2>/dev/null; do for ((i = 0; i < 100000; i++)); do :; done; done' $$ 9>&- &
  busy=$!
}

# run_module MODULE LOG SECONDS: as Maven runs a module's tests, in one JVM.
run_module() {
  (
    compiler=$(compiler_of "$1")
    cd "$1"
    # shellcheck disable=SC2086 # no option, or one
    FLOWSTONE_CHILD_JVM_OPTIONS=$compiler exec timeout --kill-after=30 "$3" taskset -c "$core" "$JAVA_HOME/bin/java" \
      "@$ROOT/build-support/jvm.options" $compiler -ea -XX:+UseParallelGC -Xmx1g "-Djunit.jupiter.execution.timeout.default=$TEST_LIMIT" \
      -cp "${class_paths[$1]}" "$ROOT/build-support/RunTests.java" target/test-classes
  ) </dev/null >"$2" 2>&1 9>&- &
  runner=$!
  local status=0
  wait "$runner" || status=$?
  runner=''
  return "$status"
}

# test_module ROUND MODULE SECONDS: prints what failed, and keeps it for the table.
test_module() {
  local log=$LOGS/round-$1-${2//\//-}.log status=0 began=$SECONDS
  run_module "$2" "$log" "$3" || status=$?
  seconds_of[$2]=$((${seconds_of[$2]:-0} + SECONDS - began))
  skipped_of[$2]=$(sed -n -E 's/.* ([0-9]+) skipped$/\1/p' "$log" | tail -n 1)
  ((status)) || { say "  $2: ok, $(tail -n 1 "$log"), $((SECONDS - began)) s"; return; }
  failed_of[$2]=$((${failed_of[$2]:-0} + 1))
  case $status in
    1) grep '^FAILED ' "$log" || echo "FAILED exit status 1; see $log" ;;
    2) echo "FAILED no test found; see $log" ;;
    124 | 137) echo "FAILED time limit of $3 s reached; see $log" ;;
    *) echo "FAILED exit status $status; see $log" ;;
  esac | sed "s#^FAILED#  $2: FAILED#" | tee -a "$FAILURES" >&2
}

show_table() {
  printf '%-24s %7s %7s %8s %8s\n' module rounds failed skipped s/round
  for module in "${modules[@]}"; do
    printf '%-24s %7d %7d %8s %8d\n' "$module" "$round" "${failed_of[$module]:-0}" "${skipped_of[$module]:-?}" $((${seconds_of[$module]:-0} / (round ? round : 1)))
  done
  sed -E 's/(FAILED [^:]*).*/\1/' "$FAILURES" | sort | uniq -c | sort -rn | sed 's/^ *\([0-9]*\)  */  \1 x /'
}

find_jdk
mkdir -p "$LOGS"
rm -f "$LOGS"/*
: >"$FAILURES"
lock_build
compile
declare -A class_paths=() seconds_of=() skipped_of=() failed_of=()
for module in "${modules[@]}"; do
  class_path=$(class_path_of "$module")
  class_paths[$module]=$class_path
done
core=$(sed -n -E 's/^Cpus_allowed_list:[[:space:]]*([0-9]+).*/\1/p' /proc/self/status)
start_busy_loop
deadline=$((SECONDS + minutes * 60)) round=0 unfinished=''
while ((round < rounds)) && [[ -z $unfinished ]]; do
  say "round $((round + 1)) of $rounds on core $core"
  for module in "${modules[@]}"; do
    left=$((deadline - SECONDS))
    if ((left <= 0)); then
      unfinished=yes
      break
    fi
    kill -0 "$busy" 2>/dev/null || fail "internal error: the busy loop has terminated"
    test_module $((round + 1)) "$module" $((left < MODULE_LIMIT_SECONDS ? left : MODULE_LIMIT_SECONDS))
  done
  [[ -n $unfinished ]] || round=$((round + 1))
done
show_table
[[ -z $unfinished ]] || say "test bad-day: time limit of $minutes min reached after $round of $rounds rounds"
[[ -z $unfinished && ! -s $FAILURES ]]
