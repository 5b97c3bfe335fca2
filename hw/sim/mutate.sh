#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutate.sh BENCH BUILD [part of a mutant's name]: a test of the tests. Each line of BENCH_mutants names a fault, the source it is put
# into, the test that has to find it, and a sed script that makes it; the fault goes into a copy, and the test has to fail.
# BUILD/BENCH-test.o, BUILD/verilated.a and BUILD/parser.a have to be there: `make sim-mutate` makes them.
set -eu

bench=$1
build=$2
only=${3:-}
here=$(dirname "$0")
case $bench in
  joined) models='tap ring' ;;
  *) models=$bench ;;
esac
missed=0
count=0

make_mutant() { # name source script
  folder=$build/mutants/$bench-$1
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -r "$here/../rtl" "$folder/rtl"
  sed -i -e "$3" "$folder/rtl/$2"
  if cmp -s "$here/../rtl/$2" "$folder/rtl/$2"; then
    echo "$1: the script changes nothing in $2" >&2
    exit 1
  fi
  files=
  for model in $models; do files="$files $folder/$model-model/model.a"; done
  # shellcheck disable=SC2086 # a list of files
  make -s BUILD="$folder" RTL="$folder/rtl" MODEL_OPTIMISATION=-O1 $files > "$folder/make.log" 2>&1 || {
    tail -5 "$folder/make.log" >&2
    echo "$1 cannot be built" >&2
    exit 1
  }
  # shellcheck disable=SC2086
  "${CXX:-g++}" "$build/$bench-test.o" $files "$build/verilated.a" "$build/parser.a" -pthread -o "$folder/$bench-test"
}

while IFS='|' read -r name source test script; do
  case $name in '' | '#'*) continue ;; esac
  name=$(echo "$name" | tr -d ' ')
  source=$(echo "$source" | tr -d ' ')
  test=$(echo "$test" | tr -d ' ')
  case $name in *"$only"*) ;; *) continue ;; esac
  make_mutant "$name" "$source" "$script"
  count=$((count + 1))
  # As `make check` runs a test, or check-all one that only check-all runs.
  case $test in line_rate_sweep*) frames=1000000 ;; *) frames=200000 ;; esac
  if "$folder/$bench-test" --frames "$frames" "$test" > "$folder/test.log" 2>&1; then
    echo "MISSED  $name: $test does not notice it"
    missed=$((missed + 1))
  elif grep -q "^FAILED .*$test" "$folder/test.log"; then
    echo "found   $name by $test: $(head -1 "$folder/test.log")"
  else
    echo "MISSED  $name: $test ended without a word: $(tail -1 "$folder/test.log")"
    missed=$((missed + 1))
  fi
  for model in $models; do rm -rf "$folder/$model-model"; done
done < "$here/${bench}_mutants"

echo "$count mutants of $bench, $missed missed"
test "$count" -gt 0 && test "$missed" -eq 0
