# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ./flowstone test hw: the card's kernels in Verilator and Yosys, and the emulated card. Sourced by the launcher.

readonly HW_LOG=$BUILD_DIR/hw.log

run_hw_tests() {
  local target=check argument
  for argument in "$@"; do
    case $argument in
      --all) target=check-all ;;
      --help | -h) test_help && return ;;
      *) fail_usage "test hw knows --all, not '$argument'" ;;
    esac
  done
  get_simulator
  need verilator yosys g++ make python3
  simulate_kernels "$target" && show_kernels
}

has_simulator() { command -v verilator >/dev/null && command -v yosys >/dev/null; }

# simulate_kernels check|check-all
simulate_kernels() {
  local beginning="simulating and synthesising the card's kernels, testing the emulated card"
  [[ $1 == check ]] || beginning+=", with sweeps and faults put in: half an hour"
  say "$beginning (log: $HW_LOG)"
  mkdir -p "$BUILD_DIR"
  make -C hw -j2 "$1" </dev/null >"$HW_LOG" 2>&1 || {
    say "  FAILED: $(first_error_of_kernels); see $HW_LOG"
    return 1
  }
}

first_error_of_kernels() { grep -m1 -E '^(FAILED|MISSED)|[Ee]rror|at most|: \*\*\*' "$HW_LOG" || tail -1 "$HW_LOG"; }

# What was seen: packets compared, rates, cells, how many tests.
show_kernels() {
  sed -n -E '/mutated frames|flows at max parallelism|(records|frames)\/cycle|of a U280|tests, [0-9]+ failed|SKIPPED|records of [0-9]+ captures|^[0-9]+ (mutants|faults|kernels)/s/^ */  /p' "$HW_LOG" >&2
}
