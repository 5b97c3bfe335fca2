# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ./flowstone test hw: the card's kernels in Verilator and Yosys, and the emulated card. Sourced by the launcher.

readonly HW_LOG=$BUILD_DIR/hw.log

run_hw_tests() {
  local targets=(check synth-compare-cells) argument errors=() failed=0
  for argument in "$@"; do
    case $argument in
      --all) targets=(check-all) ;;
      --help | -h) test_help && return ;;
      *) fail_usage "test hw knows --all, not '$argument'" ;;
    esac
  done
  need verilator yosys g++ make python3
  rm -f "$HW_LOG"
  if simulate_kernels 1 "${targets[@]}"; then
    show_kernels
  else
    fail_step "$(first_error_of_kernels)" "$HW_LOG"
    return 1
  fi
}

# The checks of check need no Yosys. Those of test hw and of check-all do.
has_simulator() { command -v verilator >/dev/null; }

has_synthesis() { command -v yosys >/dev/null; }

# For the tests of all areas: at low priority beside other tests, because this result does not depend on time.
start_kernel_checks() {
  say "simulating the card's kernels in the background (log: $HW_LOG)"
  mkdir -p "$BUILD_DIR"
  nice make -C hw SEED="$1" check-kernels </dev/null >"$HW_LOG" 2>&1 9>&- &
  kernel_checks=$!
  background+=("$kernel_checks")
}

await_kernel_checks() {
  [[ -n $kernel_checks ]] || return 0
  local status=0
  wait "$kernel_checks" || status=$?
  ((status == 0)) || echo "make check-kernels: exit status $status" >>"$HW_LOG"
  return "$status"
}

# simulate_kernels SEED TARGET...
simulate_kernels() {
  local seed=$1
  shift
  local beginning="simulating the card's kernels, checking their cells, testing the emulated card"
  case $1 in
    check-emulator) beginning="testing the emulated card" ;;
    check-all) beginning+=", with sweeps and faults put in: half an hour" ;;
  esac
  say "$beginning (log: $HW_LOG)"
  mkdir -p "$BUILD_DIR"
  if [[ $1 == check-all ]]; then
    make -C hw formal-tools </dev/null >>"$HW_LOG" 2>&1 || say "  cannot install the solver of the proofs, which are skipped; see $HW_LOG"
  fi
  make -C hw -j2 SEED="$seed" "$@" </dev/null >>"$HW_LOG" 2>&1
}

# Not a command of make's with the compiler's option -Werror.
first_error_of_kernels() { grep -m1 -E '^(FAILED|MISSED)|(^|[^-W])[Ee]rror|at most|run make synth-record|: \*\*\*' "$HW_LOG" || tail -1 "$HW_LOG"; }

# What was seen: packets compared, rates, cells, how many tests.
show_kernels() {
  sed -n -E '/mutated frames|flows at max parallelism|(records|frames)\/cycle|of a U280|tests, [0-9]+ failed|SKIPPED|syntheses,|records of [0-9]+ captures|^[0-9]+ (mutants|faults|kernels)/s/^ */  /p' "$HW_LOG" >&2
}
