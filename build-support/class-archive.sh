#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# class-archive.sh PROGRAM JAR LIST: dumps a class data sharing archive beside the module's jar, after one short run of the module's program.
# LIST names the file that lists the other jars of the class path. Does nothing if the JVM accepts the existing archive.
# A build does not fail without an archive: the program then only starts more slowly.
set -euo pipefail
readonly PROGRAM=$1 ARCHIVE=${2%.jar}.jsa START_LIMIT_SECONDS=30
readonly CAPTURE=${BASH_SOURCE[0]%/*}/../traffic/captures/web-http.pcap
readonly JAVA=${JAVA_HOME:+$JAVA_HOME/bin/}java CLASS_PATH=$2:$(<"$3")
# C1 and a small heap for the short run. An archive is valid for other compilers, collectors and heaps, too.
readonly OPTIONS=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m -cp "$CLASS_PATH")

is_up_to_date() {
  [[ -e $ARCHIVE ]] && "$JAVA" -Xshare:on -XX:SharedArchiveFile="$ARCHIVE" "${OPTIONS[@]}" -version >/dev/null 2>&1
}

# The run ends by itself, or at SIGTERM.
run_until_ready() {
  local main_class=$1
  shift
  "$JAVA" -XX:ArchiveClassesAtExit="$scratch/classes.jsa" -Djava.io.tmpdir="$scratch" "${OPTIONS[@]}" "$main_class" "$@" &
  local process=$! deadline=$((SECONDS + START_LIMIT_SECONDS))
  while ! is_ready && kill -0 "$process" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.05; done
  kill "$process" 2>/dev/null || true
  wait "$process"
}

run_broker() {
  is_ready() { [[ -e $scratch/ready ]]; }
  run_until_ready dev.flowstone.broker.KafkaBroker --dir "$scratch/broker" --port 0 --ready-file "$scratch/ready"
}

run_questdb() {
  is_ready() { grep -q 'enjoy' "$scratch/output"; }
  mkdir -p "$scratch/conf"
  printf '%s\n' http.net.bind.to=127.0.0.1:0 http.min.enabled=false pg.net.bind.to=127.0.0.1:0 line.tcp.enabled=false telemetry.enabled=false \
    shared.worker.count=1 >"$scratch/conf/server.conf"
  run_until_ready io.questdb.ServerMain -d "$scratch"
}

run_tap() {
  is_ready() { false; }
  run_until_ready dev.flowstone.tap.command.TapCommand synthetic --packets 20000 --unlimited --rings "$scratch/rings" --ring-bytes 4m --when-full drop
}

run_inspect() {
  is_ready() { false; }
  run_until_ready dev.flowstone.inspect.InspectCommand --json "$CAPTURE"
}

! is_up_to_date || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"run_$PROGRAM" >"$scratch/output" 2>&1 </dev/null || true
if [[ -s $scratch/classes.jsa ]]; then
  # A JVM that starts meanwhile finds the former archive or the new one.
  mv "$scratch/classes.jsa" "$ARCHIVE.new" && mv "$ARCHIVE.new" "$ARCHIVE"
else
  echo "no class archive for $PROGRAM: $(tail -n 1 "$scratch/output")"
fi
