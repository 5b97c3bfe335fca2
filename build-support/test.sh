# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ./flowstone test: runs the areas whose inputs are new on this machine, and prints one line that sums them up.

readonly TEST_LOG=$BUILD_DIR/test.log
# On the machine of build-support/testing/budgets.txt; pom.xml has the same for Maven alone.
readonly FORK_LIMIT_SECONDS=900
readonly EMULATOR_LOG=$BUILD_DIR/emulator.log
readonly PARSER_LOG=$BUILD_DIR/parser.log
readonly PYTHON_LOG=$BUILD_DIR/python.log
readonly SLOWNESS=$BUILD_DIR/slowness
readonly PYTHON_TESTS=$BUILD_DIR/python-tests
readonly MAVEN_ENDED=$BUILD_DIR/maven-ended
readonly PYTHON=$BUILD_DIR/venv/bin/python

run_tests() {
  case ${1:-} in
    hw) run_hw_tests "${@:2}"; return ;;
    bad-day)
      need_build_tools
      mkdir -p "$BUILD_DIR"
      lock_build
      need_test_tools
      unlock_build
      build-support/bad_day.sh "${@:2}"
      return
      ;;
  esac
  parse_test_options "$@"
  need_build_tools
  need python3
  mkdir -p "$BUILD_DIR"
  # The processor time of a whole run includes that of processes whose parents were killed.
  [[ -n ${FLOWSTONE_ORPHANS:-} ]] || exec python3 build-support/testing count-orphans ./flowstone test "$@"
  # A test may run ./flowstone test in a tree of its own, and has to start such a count itself.
  export -n FLOWSTONE_ORPHANS
  local started=$BUILD_DIR/test-started planned modules incomplete='' errors=() passed=0 failed=0 skipped=0 maven_failed=0 background=()
  lock_build
  need_test_tools
  touch "$started"
  planned=$(testing plan ${all:+--all} "${areas[@]}") || exit 2
  # Without names, Maven builds and checks all modules, whatever it tests.
  modules=$(testing modules)
  [[ -n $areas_given ]] || modules=all
  [[ -z $class || -n $modules ]] || fail_usage "test: --class requires a Maven module, and ${areas[0]} is none"
  # Ctrl-C does not reach what runs in the background.
  trap 'kill "${background[@]}" 2>/dev/null || true' EXIT
  rm -f "$SLOWNESS"
  python3 build-support/testing record-slowness "$SLOWNESS" </dev/null >/dev/null 9>&- &
  background+=($!)
  local seed=1
  [[ -z $all ]] || { seed=$RANDOM; say "seed of generated tests: $seed"; }
  if [[ -n $all && -z $areas_given ]]; then
    # The trial of a site reads its rings and topics.
    set_up_python || true
    test_dist
  fi
  test_dist_pages
  if [[ -n $modules ]]; then
    set_up_python &
    local setting_up=$!
    background+=("$setting_up")
    ! testing needs hw/emulator || build_emulators
    wait "$setting_up" || { incomplete=yes; say "  no Python environment in $BUILD_DIR/venv; see $BUILD_DIR/pip.log"; }
  fi
  local kernel_checks='' parser_tests='' python_tests=''
  rm -f "$HW_LOG" "$TEST_LOG" "$MAVEN_ENDED"
  # With --all, Maven's tests measure rates, and nothing may run beside them.
  if [[ -z $all ]]; then
    if plans kernels && has_simulator; then start_kernel_checks "$seed"; fi
    if plans python; then
      start_python_tests
    elif [[ -z $areas_given ]]; then
      start_tests_of_areas
    fi
  fi
  [[ -z $modules ]] || run_maven_tests "$started"
  unlock_build
  ! plans parser || start_parser_tests "$seed"
  if [[ -n $all ]] && plans python; then start_python_tests; fi
  ! plans kernels || test_kernels "$seed"
  await_parser_tests
  await_python_tests
  [[ -z $all || -n $areas_given ]] || test_bad_day
  sum_reports "$started"
  show_skips "$started"
  show_known
  show_failures "$started"
  [[ -n $all$class ]] || FLOWSTONE_ORPHANS=$FLOWSTONE_ORPHANS testing budget "$started" "$SLOWNESS" >&2 || failed=$((failed + 1))
  hand_to_owner "$started"
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}

# Sets all, class, areas and areas_given for run_tests.
parse_test_options() {
  all='' class='' areas=() areas_given=''
  while (($#)); do
    case $1 in
      --all) all=yes ;;
      --class) class=${2:?--class requires the name of a test class}; shift ;;
      --class=*) class=${1#*=} ;;
      --help | -h) test_help && exit ;;
      -*) fail_usage "test: unknown option: $1; ./flowstone test --help lists the options" ;;
      *) areas+=("${1%/}"); areas_given=yes ;;
    esac
    shift
  done
  [[ -z $class || ${#areas[@]} == 1 ]] || fail_usage "test: --class requires one module, as in: ./flowstone test tap --class CardFaultTest"
}

test_help() {
  cat <<'TEXT'
./flowstone test [--all] [AREA...]                what changed since it last passed on this machine
./flowstone test MODULE --class CLASS[#METHOD]    one test class of a module, or one of its tests
./flowstone test hw [--all]                       the card's kernels alone
./flowstone test bad-day [MODULE...]              timing-sensitive modules, ten times each, on one busy core

Tests are divided into areas. An area is a Maven module, such as tap or jobs/anomaly, or one of:

  kernels    the card's kernels in Verilator, the record of their cells, the emulated card
  parser     mutated packets and the fuzzer for the C++ parser
  python     the Python package
  launcher   what this command decides before it starts Java, areas included
  explored   a demo that the notebooks, the Python package and a browser read
  sql        the SQL client, and every documented statement

An area runs if a file or tool that it depends on has changed since it last passed on this machine. Results are kept in
~/.cache/flowstone/tests. A new machine runs all areas. A named area always runs.

A whole run has a budget of 15 minutes on two quiet cores, 1,700 seconds of processor time. Every test class has a budget, too:
build-support/testing/budgets.txt. The last line counts the tests. The exit status is not 0 if a test failed or a class is over
1.5 times its budget.

  --all      runs every area with new seeds, or the named ones, and adds the tests with the tag slow: faults under load and at random moments,
             all captures, a stock Flink (331 MB from PyPI), the distribution, the tutorial on ports 8081, 8082, 8090 and 9092,
             all modes of the concurrency tests, faults in the kernels, five minutes of fuzzing, bad-day: several hours
TEXT
}

testing() { python3 build-support/testing "$@"; }

# Whether an area is to be run.
plans() { [[ $'\n'$planned$'\n' == *$'\n'$1$'\n'* ]]; }

need_test_tools() {
  local missing=() optional=() preparing
  command -v clang++ >/dev/null || missing+=(clang++)
  can_fuzz || missing+=(libFuzzer)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(venv)
  # Without these, the tests that use them are skipped, and the end of the run lists them.
  has_browser || optional+=(chromium)
  has_simulator || optional+=(verilator)
  [[ -z ${all:-} ]] || has_synthesis || optional+=(yosys)
  has_xrt || optional+=(libxrt)
  command -v ip >/dev/null || optional+=(ip)
  command -v tcpdump >/dev/null || optional+=(tcpdump)
  command -v tshark >/dev/null || optional+=(tshark)
  grep -q 'libpcap\.so' < <(ldconfig -p 2>/dev/null) || optional+=(libpcap)
  command -v systemd-analyze >/dev/null || optional+=(systemd)
  has_older_java || optional+=(olderjava)
  if ((EUID == 0)) && [[ $(linux_kind) == debian ]]; then missing+=("${optional[@]}"); fi
  ((${#missing[@]})) || return 0
  # A new machine. The installation leaves a core idle.
  prepare_build </dev/null >/dev/null 2>&1 9>&- &
  preparing=$!
  (install_tools "${missing[@]}") || { kill "$preparing" 2>/dev/null; exit 1; }
  wait "$preparing" || true
}

# Set-up that needs no test tools. The steps that need its results report its errors.
prepare_build() {
  local setting_up
  set_up_python &
  setting_up=$!
  make -C hw emulator || true
  wait "$setting_up"
}

# Debian's, or AMD's own, which another beside it would hide.
has_xrt() {
  [[ -e /usr/include/xrt/version.h || -e /opt/xilinx/xrt ]]
}

# As tests look for one that is too old for Flowstone.
has_older_java() { compgen -G '/usr/lib/jvm/*1[1-9]*' >/dev/null || compgen -G '/usr/lib/jvm/*2[0-4]*' >/dev/null; }

has_browser() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then return; fi
  done
  return 1
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
    incomplete=yes
    fail_step "$(first_error "$EMULATOR_LOG")" "$EMULATOR_LOG"
  fi
}

# test_kernels SEED
test_kernels() {
  local target=check-emulator
  [[ -z $all ]] || target=check-all
  if ! has_simulator || { [[ -n $all ]] && ! has_synthesis; }; then
    say "  the card's kernels are not simulated: verilator or yosys is missing"
    skipped=$((skipped + 1))
  elif await_kernel_checks && simulate_kernels "$1" "$target"; then
    show_kernels
    pass kernels
  else
    fail_step "$(first_error_of_kernels)" "$HW_LOG"
  fi
}

# Counts an area that is one test, and keeps its result.
pass() {
  passed=$((passed + 1))
  testing passed "$1"
}

# fail_step ERROR LOG: counts a step that has no report, and shows how its log ends, which is where make's programs say what is wrong.
fail_step() {
  errors+=("$1; see $2")
  say "  FAILED: ${errors[-1]}"$'\n'"$(tail -n 12 "$2" | cut -c1-200 | sed 's/^/    /')"
  failed=$((failed + 1))
}

can_fuzz() {
  mkdir -p "$BUILD_DIR"
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ - -o "$BUILD_DIR/can-fuzz" 2>/dev/null
}

# A JVM of tests may take as much longer as the machine does.
fork_limit_seconds() {
  local slowness_percent
  slowness_percent=$(testing slowness-percent 2>/dev/null) || slowness_percent=100
  echo $((FORK_LIMIT_SECONDS * slowness_percent / 100))
}

run_maven_tests() {
  local started=$1 options=(-T2 --fail-at-end) excluded=slow groups='' tag
  if [[ -n $all ]]; then
    options+=(-Dflowstone.all "-Dflowstone.repository=$MAVEN_REPOSITORY" "-Dflowstone.seed=$seed")
  else
    for tag in $(testing tags); do
      if plans "$tag"; then groups+="|$tag"; else excluded+=,$tag; fi
    done
    options+=("-Dflowstone.excluded.tests=$excluded")
    options+=("-Dflowstone.test.fork.limit.seconds=$(fork_limit_seconds)")
    plans verification/end-to-end || options+=("-Dflowstone.groups=${groups#|}")
  fi
  if [[ -n $areas_given ]]; then options+=(-pl "$modules" -am); fi
  if [[ -n $class ]]; then options+=("-Dtest=$class" -Dsurefire.failIfNoSpecifiedTests=false -Dflowstone.excluded.tests=); fi
  say "compiling and testing (log: $TEST_LOG)"
  if maven "${options[@]}" -Dflowstone.known verify </dev/null 9>&- | tee "$TEST_LOG" | show_tests; then
    # A run of some modules builds only these and what they need.
    [[ -n $areas_given ]] || stamp_build "$started"
  else
    maven_failed=1
    # Other reasons than failed tests, such as a JVM that crashed, are in no report.
    if grep '^\[ERROR\] Failed to execute goal' "$TEST_LOG" | grep -qv 'There are test failures' || ! grep -q 'There are test failures' "$TEST_LOG"; then
      fail_build "$(build_failure "$TEST_LOG")"
    fi
  fi
  touch "$MAVEN_ENDED"
  if [[ -n $class && ${#errors[@]} == 0 && $(ran_tests "$started") == 0 ]]; then
    fail_build "no test of $modules is named $class, or another tag keeps it from running"
  fi
  # Without the card or the Python environment, modules are successful that skipped tests: such a result is not kept.
  [[ -n $class || -n ${incomplete:-} ]] || testing maven-passed "$TEST_LOG" "$started"
}

fail_build() {
  errors+=("$1")
  say "  $1"
  failed=$((failed + 1))
}

# One line per module and per test class; failures with what Maven says about them.
show_tests() {
  sed -u -n -E \
    -e 's/^\[INFO\] Building (Flowstone .*) 0\..*\[([0-9]+\/[0-9]+)\]$/  [\2] \1/p' \
    -e 's/^\[(INFO|WARNING)\] Tests run: ([0-9]+), .*Skipped: ([0-9]+), Time elapsed: (.*) -- in (.*)$/        ok     \5: \2 tests, \3 skipped, \4/p' \
    -e 's/^\[ERROR\] Tests run: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+),.* -- in (.*)$/        FAILED \4: \2 failures, \3 errors of \1/p' \
    -e '/^\[ERROR\]   .*:[0-9]+/,/^(\[INFO\].*|)$/{s/^\[ERROR\]   (.*:[0-9]+.*)$/          \1/p;t;/^(\[|$)/!s/^/            /p}' >&2
}

start_parser_tests() {
  local more=()
  [[ -z $all ]] || more=(MUTATIONS=10000000 FUZZ_SECONDS=300)
  say "mutating packets and fuzzing the parser (log: $PARSER_LOG)"
  timeout 900 make -C hw/model mutate fuzz SEED="$1" "${more[@]}" </dev/null >"$PARSER_LOG" 2>&1 &
  parser_tests=$!
  background+=("$parser_tests")
}

await_parser_tests() {
  [[ -n $parser_tests ]] || return 0
  if wait "$parser_tests"; then
    pass parser
  else
    fail_step "$(first_error "$PARSER_LOG")" "$PARSER_LOG"
  fi
}

start_python_tests() {
  say "testing the Python package in the background (log: $PYTHON_LOG)"
  rm -rf "$PYTHON_TESTS"
  { await_tap && run_python_tests; } </dev/null >"$PYTHON_LOG" 2>&1 9>&- &
  python_tests=$!
  background+=("$python_tests")
}

# Also where the area python is known: each file has to belong to an area, and a new one may be an input of another area alone.
start_tests_of_areas() {
  rm -rf "$PYTHON_TESTS"
  "$PYTHON" -m pytest -q --junitxml="$PYTHON_TESTS/testing.xml" -k every build-support/testing/tests/test_areas.py </dev/null >"$PYTHON_LOG" 2>&1 9>&- &
  python_tests=$!
  background+=("$python_tests")
}

# Some Python tests run a tap. Maven builds the demo after the tap.
await_tap() {
  until [[ -e $MAVEN_ENDED ]] || grep -q '^\[INFO\] Building Flowstone demo ' "$TEST_LOG" 2>/dev/null; do sleep 1; done
}

# Tests with the mark demo read a demo, which the area explored starts. Those with the mark slow measure speed and need a quiet machine.
run_python_tests() {
  local code=0
  "$PYTHON" -m pytest -q --junitxml="$PYTHON_TESTS/testing.xml" build-support/testing || code=$?
  "$PYTHON" -m pytest -q --junitxml="$PYTHON_TESTS/notebooks.xml" -m 'not demo and not slow' notebooks || code=$?
  return "$code"
}

await_python_tests() {
  [[ -n $python_tests ]] || return 0
  local code=0
  wait "$python_tests" || code=$?
  tail -n 1 "$PYTHON_LOG" >&2
  if ((code == 0)); then
    # A test that was skipped is to be run again.
    testing skips "$PYTHON_TESTS"/*.xml || testing passed python
  elif ((code > 1)); then
    # 1: failed tests, which the report counts. Other codes: pytest itself failed.
    fail_step "$(first_error "$PYTHON_LOG")" "$PYTHON_LOG"
  fi
}

test_bad_day() {
  say "running the timing-sensitive modules ten times each on one busy core"
  if build-support/bad_day.sh; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# Installs the extras "test" and "lint" of pyproject.toml when that file changed. Without "lint", only the files for containers are not checked.
# Few of the installed modules are ever imported, so none is compiled in advance.
set_up_python() {
  local installed=$BUILD_DIR/venv/pyproject.toml
  if cmp --silent notebooks/pyproject.toml "$installed" && "$PYTHON" -c 'import numpy' 2>/dev/null; then return; fi
  {
    rm -f "$installed" && python3 -m venv "$BUILD_DIR/venv" &&
      "$PYTHON" -m pip install --quiet --no-compile --editable 'notebooks[test]' &&
      cp notebooks/pyproject.toml "$installed"
  } >"$BUILD_DIR/pip.log" 2>&1 || return
  "$PYTHON" -m pip install --quiet --no-compile --editable 'notebooks[lint]' >>"$BUILD_DIR/pip.log" 2>&1 ||
    say "  no linters of files for containers; see $BUILD_DIR/pip.log, and remove $installed to try again"
}

# Why tests were not run, each reason once, with how many they were.
show_skips() {
  ((skipped)) || return 0
  say "not run:"
  { reports "$1" -exec grep -hE '<skipped' {} + || true; } | skip_reasons | sort | uniq -c | sort -rn |
    sed -E 's/^ *([0-9]+) (.*)/  \1 x \2/' | cut -c1-240 >&2
}

# Areas that were not run because they passed on this machine with the same inputs.
show_known() {
  local known
  known=$(testing known)
  [[ -z $known ]] || say "known from earlier runs on this machine, not run:"$'\n'"$known"
}

# Failures again at the end: Maven's own output of them is far above.
show_failures() {
  ((failed)) || return 0
  say "failed:"
  ((${#errors[@]} == 0)) || printf '  %s\n' "${errors[@]}" >&2
  reports "$1" -exec python3 build-support/testing failures {} + >&2 || true
}

# As pytest and surefire write them: an attribute, or the exception that ended the test.
skip_reasons() {
  sed -n -E 's/.*message="([^"]*)".*/\1/p; t; s/.*<!\[CDATA\[[^:]*: (Assumption failed: )?(.*)/\2/p' | unescape
}

unescape() {
  sed -e 's/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g' -e "s/&apos;/'/g" -e 's/&#10;/ /g; s/&amp;/\&/g'
}

# How many tests of Maven's ran since then.
ran_tests() {
  reports "$1" -path '*/surefire-reports/*' -exec grep -h '<testcase' {} + | wc -l
}

# reports SINCE ARGUMENTS OF FIND...
reports() {
  find . \( -path '*/surefire-reports/TEST-*.xml' -o -path './build/python-tests/*.xml' \) -newer "$1" "${@:2}" 2>/dev/null
}

# Adds the reports written since the tests began; older ones belong to classes that no longer exist.
sum_reports() {
  local started=$1 passing skipping failing
  while read -r passing skipping failing; do
    passed=$((passed + passing))
    skipped=$((skipped + skipping))
    failed=$((failed + failing))
  done < <(reports "$started" -exec python3 build-support/testing counts {} +)
  # Maven reports a failed test, but no report file has it.
  if ((maven_failed && !failed)); then
    say "  $(build_failure "$TEST_LOG")"
    failed=1
  fi
}
