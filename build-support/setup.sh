# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What a run needs before it can start: a JDK, tools, an up-to-date build. Sourced by ./flowstone from the project's root.

readonly BUILD_DIR=$ROOT/build
readonly BUILD_LOG=$BUILD_DIR/build.log
readonly BUILD_STAMP=$ROOT/target/flowstone.stamp
readonly JDK_VERSION=25
source build-support/packages.sh

say() { printf '%s\n' "$*" >&2; }
fail() { say "flowstone: $*"; exit 1; }
fail_usage() { say "flowstone: $*"; exit 2; }

# The version stands in the JDK's release file: no need to start a JVM to ask. What is built already needs no compiler.
is_jdk() {
  local home=$1 line compiler=javac
  [[ ! -e ${DISTRIBUTION:-} ]] || compiler=java
  [[ -x $home/bin/$compiler && -r $home/release ]] || return 1
  while IFS= read -r line; do
    [[ $line =~ ^JAVA_VERSION=\"$JDK_VERSION[.\"] ]] && return 0
  done <"$home/release"
  return 1
}

find_jdk() {
  local on_path home
  on_path=$(readlink -f "$(command -v java)" 2>/dev/null) || true
  for home in "${JAVA_HOME:-}" "${on_path%/bin/java}" /usr/lib/jvm/* /opt/*jdk* /opt/java/* \
    "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/*; do
    if [[ -n $home ]] && is_jdk "$home"; then
      export JAVA_HOME=$home
      return
    fi
  done
  fail "no JDK $JDK_VERSION found: $(jdk_advice), or set JAVA_HOME to one"
}

need_build_tools() {
  find_jdk
  need mvn make "$(compiler)"
}

# The one that there is, as the makefiles choose it; else the one to install.
compiler() {
  if ! command -v g++ >/dev/null && command -v clang++ >/dev/null; then echo clang++; else echo g++; fi
}

# Maven's own libraries use Unsafe, which a new JDK would warn about on every start. All it says goes to one log.
# A build ends before C2 or a concurrent collector pay: with C1, which .mvn/jvm.config asks for, and this collector it takes 4 minutes of
# processor time instead of 7. A second collector beside one of the user's own would be an error.
maven() {
  local options="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow"
  [[ $options =~ -XX:\+Use[A-Za-z0-9]+GC ]] || options+=" -XX:+UseParallelGC"
  MAVEN_OPTS=$options mvn --batch-mode -Dstyle.color=never "$@" 2>&1
}

# One line per module of Maven's output, in the order of the lines: Maven numbers modules, and builds several at a time.
show_modules() {
  local shown=0 total name
  sed -u -n -E 's/^\[INFO\] Building (Flowstone.*) 0\.[^ ]* *\[[0-9]+\/([0-9]+)\]$/\2 \1/p' |
    while read -r total name; do say "  [$((++shown))/$total] $name"; done
}

# The line of a log that says most about what went wrong: where in a source file, else what the tool says.
first_error() {
  local pattern
  for pattern in '^\[(ERROR|WARNING)\] /.*\.java:\[' ': error:' '^\[ERROR\]' '\*\*\*|ERROR'; do
    if grep -m1 -E "$pattern" "$1" | sed -E 's/^\[[A-Z]+\] //' | cut -c1-300 | grep .; then return; fi
  done
  tail -n 1 "$1"
}

build_failure() {
  local log=$1
  if grep -qE 'Unknown host|Could not transfer|Connection (refused|timed out)|Network is unreachable|offline mode' "$log"; then
    echo "Maven could not download what it needs: connect to the network, or name a mirror or proxy in ~/.m2/settings.xml; see $log"
  else
    echo "the build failed: $(first_error "$log"); see $log"
  fi
}

lock_build() {
  exec 9>"$BUILD_DIR/build.lock"
  flock --nonblock 9 || { say "waiting for another build"; flock 9; }
}

unlock_build() {
  exec 9>&-
}

# Where sources are: a capture or a report that somebody leaves in the checkout is no reason to build.
sources() {
  find pom.xml .mvn build-support flowstone "$@"
  find . \( -name target -o -name build -o -name '.?*' -o -name docs -o -name notebooks -o -name __pycache__ \) -prune -o \
    \( -name pom.xml -o -path './hw/*' -o -path '*/src/*' \) ! -name '*.md' "$@"
}

# Folders count where a newer one means a file that was deleted.
newer_source() {
  sources \( -type f -o -path '*/src/*' \) -newer "$BUILD_STAMP" -print -quit
}

# The build's class paths name the folder it was made in and its maker's Maven repository: neither need be there for another user.
is_up_to_date() {
  local built_in repository
  [[ -r $BUILD_STAMP ]] || return 1
  { read -r built_in && read -r repository; } <"$BUILD_STAMP" || return 1
  [[ $built_in == "$ROOT" && -r $repository && -z $(newer_source) ]]
}

build() {
  find_jdk
  # Who tests what is being built says so, for that build waits for whoever would wait for it here.
  if [[ -n ${FLOWSTONE_BUILT:-} ]] || is_up_to_date; then return; fi
  need_build_tools
  mkdir -p "$BUILD_DIR" 2>/dev/null && [[ -w $BUILD_DIR && -w $ROOT ]] ||
    fail "has to be built, but $ROOT cannot be written by this user: copy it to a folder of your own, or have its owner run ./flowstone once"
  lock_build
  is_up_to_date || build_now
  unlock_build
}

build_now() {
  local began=$BUILD_DIR/began
  touch "$began"
  say "building (log: $BUILD_LOG)"
  maven -T1C -DskipTests -Dspotless.check.skip -Dflowstone.warnings.are.errors=false package </dev/null 9>&- | tee "$BUILD_LOG" | show_modules ||
    fail "$(build_failure "$BUILD_LOG")"
  stamp_build "$began"
  hand_to_owner "$began"
}

# The stamp carries the time at which the build began: what is edited meanwhile is built next time.
stamp_build() {
  mkdir -p "${BUILD_STAMP%/*}"
  printf '%s\n' "$ROOT" "$(maven_repository)" >"$BUILD_STAMP"
  touch -r "$1" "$BUILD_STAMP"
}

# Where the class paths find what is not ours, such as picocli.
maven_repository() {
  tr ':' '\n' <tap/target/runtime.classpath | sed -n 's#/info/picocli/.*##p'
}

# hand_to_owner FILE: what root has made since the file's time, in a tree of somebody else's, is given to him.
hand_to_owner() {
  ((EUID == 0)) && [[ $(stat -c %u "$ROOT") != 0 ]] || return 0
  find "$ROOT" -name .git -prune -o -uid 0 -cnewer "$1" -exec chown -h --reference="$ROOT" {} + ||
    say "some of what was built stays root's: chown -R --reference=$ROOT $ROOT"
}

# The jar of a module, which may have a class archive beside it; its folder of classes if something in there is newer, or without a jar.
own_classes() {
  local target=$ROOT/$1/target jars
  # Not those that a classifier follows: tests, cluster, sources.
  jars=("$target"/flowstone-*[0-9T].jar)
  if [[ -e ${jars[0]} && -z $(find "$target/classes" -newer "${jars[0]}" -print -quit) ]]; then echo "${jars[0]}"; else echo "$target/classes"; fi
}

# archive_options CLASSES: sets ARCHIVE_OPTIONS. The JVM ignores an archive that does not match its version or its class path.
archive_options() {
  local archive=${1%.jar}.jsa
  ARCHIVE_OPTIONS=()
  # A JVM archives no classes of folders.
  if [[ -n ${own_archive:-} && $1 == *.jar ]]; then
    archive=$own_archive
    ARCHIVE_OPTIONS=(-XX:+AutoCreateSharedArchive)
  elif [[ ! -e $archive ]]; then
    return 0
  fi
  ARCHIVE_OPTIONS+=("-XX:SharedArchiveFile=$archive" -Xshare:auto "-Xlog:cds*=off,aot*=off,class+path*=off")
}
