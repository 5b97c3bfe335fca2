# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ./flowstone test: Maven's tests, the parser's fuzzer, the Python package's tests, and one line that sums them up.

readonly TEST_LOG=$BUILD_DIR/test.log
readonly EMULATOR_LOG=$BUILD_DIR/emulator.log
readonly FUZZ_LOG=$BUILD_DIR/fuzz.log
readonly PYTHON_TESTS=$BUILD_DIR/python-tests.xml
readonly PYTHON=$BUILD_DIR/venv/bin/python

run_tests() {
  if [[ ${1:-} == hw ]]; then
    run_hw_tests "${@:2}"
    return
  fi
  local maven_options=() fuzz_seconds=20 all= argument
  for argument in "$@"; do
    case $argument in
      --all) maven_options+=(-Dflowstone.all) fuzz_seconds=300 all=yes ;;
      --help | -h) test_help && return ;;
      *) fail_usage "test knows --all, not '$argument'" ;;
    esac
  done
  need_build_tools
  need_test_tools
  # What no report counts: a build that stops, a fuzzer that finds something.
  local passed=0 failed=0 skipped=0 maven_failed=0 kernels=check
  test_dist_pages
  if [[ -n $all ]]; then
    test_dist
    maven_options+=("-Dflowstone.repository=$MAVEN_REPOSITORY")
    kernels=check-all
  fi
  local started=$BUILD_DIR/test-started
  mkdir -p "$BUILD_DIR"
  lock_build
  touch "$started"
  # The end-to-end tests ask the Python package, too. What it needs is fetched while the card's programs are compiled.
  # It holds the lock, too: Ctrl-C does not reach it, and who starts again waits for it.
  set_up_python &
  local python=$!
  build_emulators
  wait "$python" || say "  no Python environment in $BUILD_DIR/venv; see $BUILD_DIR/pip.log"
  run_maven_tests "$started" "${maven_options[@]}"
  unlock_build
  # The fuzzer has one thread, and so have the Python tests.
  local fuzzer=
  start_fuzzer "$fuzz_seconds"
  run_python_tests
  test_kernels "$kernels"
  await_fuzzer
  sum_reports "$started"
  show_skips "$started"
  show_failures "$started"
  hand_to_owner "$started"
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}

test_help() {
  cat <<'TEXT'
./flowstone test [--all]          everything
./flowstone test hw [--all]       the card's kernels alone, in two to five minutes

Formats, compiles and tests everything: unit, integration, architecture, the reference against the code, linters of
the files for containers; one run of the demo, asked by the SQL of docs/queries.md and by the notebooks, and looked at
on its page in Chromium; the parser's fuzzer for 20 s, the Python package; the card's kernels in Verilator, and their
cells by Yosys. What was left out for want of something is said at the end.
It took 24 to 47 minutes on two quiet cores, depending on the machine; busy ones take longer. The last line counts, and the exit
status is not 0 when something failed.

  --all    adds 20 kills under load, one of two TaskManagers killed under a steady stream, ten times each of ten faults, 20 rounds in
           which TaskManager, JobManager, broker and QuestDB are killed, the rescaling of a million flows, an hour of benign
           traffic without an alert, how fast the Python package reads a broker's full messages, a stock Flink (331 MB from PyPI)
           with the jars, its own SQL client and the image's entry point, the distribution, docs/tutorial.md step by step from a
           fresh clone (on ports 8081, 8082, 8090 and 9092), concurrency tests in all modes of the JVM, five minutes of fuzzing,
           faults put into the card's kernels and frames of other lengths for them: three hours
TEXT
}

need_test_tools() {
  if [[ -e hw/model/Makefile ]]; then
    need clang++
    can_fuzz || install_tools libFuzzer
  fi
  if [[ -d notebooks ]]; then
    need python3
    python3 -c 'import ensurepip' 2>/dev/null || install_tools venv
  fi
  get_browser
  get_simulator
}

# Without the first two the card's kernels are not simulated, without the third AMD's library does not meet the emulated card; the end says so.
get_simulator() {
  ((EUID == 0)) && [[ $(linux_kind) == debian ]] || return 0
  has_simulator || (install_tools verilator yosys) || true
  has_xrt || (install_tools libxrt) || true
}

# Debian's, or AMD's own, which another beside it would hide.
has_xrt() {
  [[ -e /usr/include/xrt/version.h || -e /opt/xilinx/xrt ]]
}

# A browser for the tests of the page; without one they are skipped, and say so.
get_browser() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then return; fi
  done
  if ((EUID == 0)) && [[ $(linux_kind) == debian ]]; then
    (install_tools chromium) || say "  without a browser the page is not looked at"
  fi
}

# The demo has one, and so have tests: of RTL, too, where Verilator is.
build_emulators() {
  [[ -e hw/emulator ]] || return 0
  local targets=(emulator)
  ! command -v verilator >/dev/null || targets+=(emulator-rtl)
  say "building the emulated card (log: $EMULATOR_LOG)"
  if make --silent -j2 -C hw "${targets[@]}" >"$EMULATOR_LOG" 2>&1; then
    export FLOWSTONE_EMULATOR=$ROOT/hw/target
  else
    say "  FAILED: $(first_error "$EMULATOR_LOG"); see $EMULATOR_LOG"
    failed=$((failed + 1))
  fi
}

test_kernels() {
  [[ -e hw/Makefile ]] || return 0
  if ! has_simulator; then
    say "  the card's kernels are not simulated: no verilator or yosys"
    skipped=$((skipped + 1))
  elif simulate_kernels "$1"; then
    show_kernels
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

can_fuzz() {
  mkdir -p "$BUILD_DIR"
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ - -o "$BUILD_DIR/can-fuzz" 2>/dev/null
}

run_maven_tests() {
  local started=$1
  shift
  say "compiling and testing (log: $TEST_LOG)"
  if maven -T2 --fail-at-end "$@" verify </dev/null 9>&- | tee "$TEST_LOG" | show_tests; then
    stamp_build "$started"
    return
  fi
  maven_failed=1
  if ! grep -q 'Tests run:.*<<< \(FAILURE\|ERROR\)' "$TEST_LOG"; then
    say "  $(build_failure "$TEST_LOG")"
    failed=$((failed + 1))
  fi
}

# One line per module and per test class; failures with what Maven says about them.
show_tests() {
  sed -u -n -E \
    -e 's/^\[INFO\] Building (Flowstone .*) 0\..*\[([0-9]+\/[0-9]+)\]$/  [\2] \1/p' \
    -e 's/^\[(INFO|WARNING)\] Tests run: ([0-9]+), .*Skipped: ([0-9]+), Time elapsed: (.*) -- in (.*)$/        ok     \5: \2 tests, \3 skipped, \4/p' \
    -e 's/^\[ERROR\] Tests run: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+),.* -- in (.*)$/        FAILED \4: \2 failures, \3 errors of \1/p' \
    -e '/^\[ERROR\]   .*:[0-9]+/,/^(\[INFO\].*|)$/{s/^\[ERROR\]   (.*:[0-9]+.*)$/          \1/p;t;/^(\[|$)/!s/^/            /p}' >&2
}

start_fuzzer() {
  local seconds=$1
  [[ -e hw/model/Makefile ]] || return 0
  say "mutating 10 million packets and fuzzing the parser for $seconds s (log: $FUZZ_LOG)"
  # Compiling and mutating come on top of the fuzzer's own time.
  timeout $((seconds + 600)) make -C hw/model mutate fuzz MUTATIONS=10000000 FUZZ_SECONDS="$seconds" </dev/null >"$FUZZ_LOG" 2>&1 &
  fuzzer=$!
  # Ctrl-C does not reach what runs in the background.
  # shellcheck disable=SC2064
  trap "kill $fuzzer 2>/dev/null || true" EXIT
}

await_fuzzer() {
  [[ -n $fuzzer ]] || return 0
  trap - EXIT
  if wait "$fuzzer"; then
    passed=$((passed + 1))
  else
    say "  FAILED: $(first_error "$FUZZ_LOG"); see $FUZZ_LOG"
    failed=$((failed + 1))
  fi
}

run_python_tests() {
  [[ -d notebooks ]] || return 0
  say "testing the notebooks' package"
  if ! set_up_python; then
    say "  FAILED: could not set up $BUILD_DIR/venv; see $BUILD_DIR/pip.log"
    failed=$((failed + 1))
    return
  fi
  rm -f "$PYTHON_TESTS"
  local code=0
  # Those marked demo were run by ExploredRunITCase, against a demo of its own; here they would ask whatever demo somebody has. Those marked
  # slow are PythonSpeedITCase's, with --all, when nothing runs beside them: here the fuzzer does.
  "$PYTHON" -m pytest -q --junitxml="$PYTHON_TESTS" -m 'not demo and not slow' notebooks </dev/null >&2 || code=$?
  # 1: failed tests, which the report counts; more: pytest itself could not run.
  if ((code > 1)); then failed=$((failed + 1)); fi
}

# What is installed is what pyproject.toml asks for as the extra "test", and as "lint", without which only the files for containers are not read.
# Anew when it asks for something else.
set_up_python() {
  local installed=$BUILD_DIR/venv/pyproject.toml
  if cmp --silent notebooks/pyproject.toml "$installed" && "$PYTHON" -c 'import numpy' 2>/dev/null; then return; fi
  {
    rm -f "$installed" && python3 -m venv "$BUILD_DIR/venv" &&
      "$PYTHON" -m pip install --quiet --editable 'notebooks[test]' &&
      cp notebooks/pyproject.toml "$installed"
  } >"$BUILD_DIR/pip.log" 2>&1 || return
  "$PYTHON" -m pip install --quiet --editable 'notebooks[lint]' >>"$BUILD_DIR/pip.log" 2>&1 ||
    say "  no linters of files for containers; see $BUILD_DIR/pip.log, and remove $installed to try again"
}

# Why tests were not run, each reason once, with how many they were.
show_skips() {
  ((skipped)) || return 0
  say "not run:"
  { reports "$1" -exec grep -hE '<skipped' {} + || true; } | skip_reasons | sort | uniq -c | sort -rn |
    sed -E 's/^ *([0-9]+) (.*)/  \1 x \2/' | cut -c1-240 >&2
}

# What failed, once more: Maven said it long before, and whoever keeps the end of a long output has lost it.
show_failures() {
  ((failed)) || return 0
  say "failed:"
  reports "$1" -exec python3 build-support/test_reports.py failures {} + >&2 || true
}

# As pytest and surefire write them: an attribute, or the exception that ended the test.
skip_reasons() {
  sed -n -E 's/.*message="([^"]*)".*/\1/p; t; s/.*<!\[CDATA\[[^:]*: (Assumption failed: )?(.*)/\2/p' | unescape
}

unescape() {
  sed -e 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g' -e "s/&apos;/'/g" -e 's/&#10;/ /g; s/&amp;/\&/g'
}

# reports SINCE ARGUMENTS OF FIND...
reports() {
  find . "$PYTHON_TESTS" \( -path '*/surefire-reports/TEST-*.xml' -o -path "$PYTHON_TESTS" \) -newer "$1" "${@:2}" 2>/dev/null
}

# Adds the reports written since the tests began; older ones belong to classes that no longer exist.
sum_reports() {
  local started=$1 passing skipping failing
  while read -r passing skipping failing; do
    passed=$((passed + passing))
    skipped=$((skipped + skipping))
    failed=$((failed + failing))
  done < <(reports "$started" -exec python3 build-support/test_reports.py counts {} +)
  # Maven says that a test failed, and no report does.
  if ((maven_failed && !failed)); then
    say "  $(build_failure "$TEST_LOG")"
    failed=1
  fi
}
