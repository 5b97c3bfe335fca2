# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Arguments as Java can read them. Sourced by ./flowstone.

# Java reads arguments and names of files by the locale: in none but a UTF-8 one it finds a file called Zürich.pcap.
speak_utf8() {
  [[ $(locale charmap 2>/dev/null) == UTF-8 ]] || export LC_ALL=C.UTF-8
}

# arguments_for_java ARGS...: sets ARGUMENTS. Java cannot name a file whose name is no UTF-8, so that is opened here
# and goes by its descriptor, which the program inherits and its children find, too.
arguments_for_java() {
  local argument descriptor
  ARGUMENTS=()
  for argument in "$@"; do
    if ! is_utf8 "$argument"; then
      [[ -r $argument ]] || fail_usage "$(printf %q "$argument") is not UTF-8, and no file or folder that can be read"
      exec {descriptor}<"$argument"
      say "$(printf %q "$argument") is not UTF-8: here it goes by the name of /proc/$$/fd/$descriptor"
      argument=/proc/$$/fd/$descriptor
    fi
    ARGUMENTS+=("$argument")
  done
}

# Most arguments are ASCII: no need to ask.
is_utf8() {
  local LC_ALL=C
  [[ $1 != *[^[:ascii:]]* ]] || iconv -f UTF-8 -t UTF-8 <<<"$1" >/dev/null 2>&1
}
