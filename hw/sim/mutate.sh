#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutate.sh BENCH BUILD [part of a mutant's name]: a test of the tests. Each line of BENCH_mutants names a fault, the source it is put
# into, the test that has to find it, and a sed script that makes it; the fault goes into a copy, and the test has to fail.
# BUILD/BENCH-test.o has to be there: `make sim-mutate` makes it.
set -eu

bench=$1
build=$2
only=${3:-}
here=$(dirname "$0")
libraries=$(ls "$build/parser-model.a" 2> /dev/null || true)
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
  make -s BUILD="$folder" RTL="$folder/rtl" MODEL_OPTIMISATION=-O1 "$folder/$bench-model/model.a" > "$folder/make.log" 2>&1 || {
    tail -5 "$folder/make.log" >&2
    echo "$1 cannot be built" >&2
    exit 1
  }
  "${CXX:-g++}" "$build/$bench-test.o" "$folder/$bench-model/model.a" $libraries -pthread -o "$folder/$bench-test"
}

while IFS='|' read -r name source test script; do
  case $name in '' | '#'*) continue ;; esac
  name=$(echo "$name" | tr -d ' ')
  source=$(echo "$source" | tr -d ' ')
  test=$(echo "$test" | tr -d ' ')
  case $name in *"$only"*) ;; *) continue ;; esac
  make_mutant "$name" "$source" "$script"
  count=$((count + 1))
  if "$folder/$bench-test" "$test" > "$folder/test.log" 2>&1; then
    echo "MISSED  $name: $test does not notice it"
    missed=$((missed + 1))
  elif grep -q "^FAILED .*$test" "$folder/test.log"; then
    echo "found   $name by $test: $(head -1 "$folder/test.log")"
  else
    echo "MISSED  $name: $test ended without a word: $(tail -1 "$folder/test.log")"
    missed=$((missed + 1))
  fi
  rm -rf "$folder/$bench-model"
done < "$here/${bench}_mutants"

echo "$count mutants of $bench, $missed missed"
test "$count" -gt 0 && test "$missed" -eq 0
