# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# ./flowstone dist: a tarball that runs without a build, and a Maven repository. Sourced by ./flowstone from the project's root.

readonly DIST_DIR=$BUILD_DIR/dist
readonly DIST_LOG=$BUILD_DIR/dist.log
readonly MAVEN_REPOSITORY=$DIST_DIR/maven-repository

# What a distribution can run; its broker and its Flink are lists of jars for processes that these start.
readonly DIST_MODULES=(demo tap rules plan inspect monitoring deployment flink-conf broker sql/client)
readonly DIST_FILES=(flowstone LICENSE README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs tap/systemd
  flink-conf/config.yaml flink-conf/rules.example.yaml flink-conf/log4j2.xml flink-conf/README.md flink-conf/prometheus flink-conf/grafana flink-conf/sql
  flink-conf/image flink-conf/compose flink-conf/kubernetes traffic/captures
  {tap,blocks,stages,connector-fpga-source,operators,monitoring,deployment,packet-format,notebooks,rules,plan,demo,sql/connector,jobs/anomaly,jobs/histogram,jobs/platform,jobs/sampling,jobs/endpoints}/README.md notebooks/pyproject.toml notebooks/flowstone notebooks/execute.py notebooks/[0-9]*.ipynb
  demo/src/main/resources/dev/flowstone/demo/rules.yaml demo/src/main/java/dev/flowstone/demo/function/Bursts.java
  build-support/setup.sh build-support/packages.sh build-support/arguments.sh build-support/deployment.sh build-support/jvm.options)

dist_help() {
  cat <<TEXT
./flowstone dist

Makes in build/dist
  flowstone-VERSION.tar.gz   runs wherever it is unpacked, also read-only and as another user; a Java $JDK_VERSION is all it needs,
                             and an image is made of it: docs/deployment.md
  maven-repository           all modules with sources and Javadoc, for projects of your own; its address is file:PATH
TEXT
}

run_dist() {
  case ${1:-} in
    '') ;;
    --help | -h) dist_help && return ;;
    *) fail_usage "dist takes no arguments, not '$1'" ;;
  esac
  need_build_tools
  mkdir -p "$BUILD_DIR"
  lock_build
  local began=$BUILD_DIR/dist-began
  touch "$began"
  make_dist
  hand_to_owner "$began"
  unlock_build
}

make_dist() {
  rm -rf "$DIST_DIR"
  say "building all modules with sources and Javadoc (log: $DIST_LOG)"
  maven -T1C -Psources-and-javadoc -DskipTests -Dspotless.check.skip -Dflowstone.warnings.are.errors=false -pl "$(verification_modules)" \
    package </dev/null 9>&- | tee "$DIST_LOG" | show_modules || fail "$(build_failure "$DIST_LOG")"
  make --silent -j2 -C hw emulator </dev/null >>"$DIST_LOG" 2>&1 9>&- || fail "the emulated card cannot be built; see $DIST_LOG"
  build-support/maven-repository.sh "$MAVEN_REPOSITORY"
  local name=flowstone-$(version_number)
  gather_dist "$DIST_DIR/$name"
  tar -C "$DIST_DIR" --owner=0 --group=0 --sort=name -czf "$DIST_DIR/$name.tar.gz" "$name"
  rm -rf "${DIST_DIR:?}/$name"
  echo "$DIST_DIR/$name.tar.gz  $(du -h "$DIST_DIR/$name.tar.gz" | cut -f1)"
  echo "$MAVEN_REPOSITORY"
}

# Excludes these modules, in the form that Maven expects. Every module depends on processor-time.
verification_modules() {
  sed -n '/processor-time/!s#.*<module>\(verification/.*\)</module>.*#!\1#p' pom.xml | paste -sd,
}

gather_dist() {
  local folder=$1 module job
  mkdir -p "$folder/lib"
  dist_files | xargs -0 cp --parents -t "$folder"
  version_number >"$folder/$DISTRIBUTION"
  for module in "${DIST_MODULES[@]}"; do
    gather_module "$module" "$folder"
  done
  # The broker's own jar looks for its list beside itself.
  sed 's#[^:]*/lib/##g' "$folder/broker/target/runtime.classpath" >"$folder/lib/runtime.classpath"
  # So does QuestDB's.
  tr ':' '\n' <<<"$(<questdb/target/questdb.classpath)" | gather_jars "$folder" '' >"$folder/lib/questdb.classpath"
  for job in jobs/*/target/*-cluster.jar sql/client/target/connectors/*.jar; do
    cp --parents "$job" "$folder"
  done
  cp --parents hw/target/{flowstone-card,libflowstone_xrt.so,flowstone.xclbin,flowstone-pcapsrc.xclbin} "$folder"
  chmod -R a+rX "$folder"
}

# What a build or an editor left among them stays here.
dist_files() {
  if [[ -e .git ]]; then
    git -c safe.directory="$ROOT" ls-files -z --error-unmatch -- "${DIST_FILES[@]}"
  else
    find "${DIST_FILES[@]}" -type f ! -path '*/target/*' ! -path '*/__pycache__/*' -print0
  fi
}

# A module's jars go to lib, and its list names them relative to itself.
gather_module() {
  local module=$1 folder=$2 up
  mkdir -p "$folder/$module/target"
  up=$(sed 's#[^/]*#..#g' <<<"$module/target")
  [[ ! -e $module/jvm.options ]] || cp "$module/jvm.options" "$folder/$module"
  { own_jar "$module"; class_path_of "$module" | tr ':' '\n'; } | gather_jars "$folder" "$up/lib/" >"$folder/$module/target/runtime.classpath"
}

# The jars that are listed on standard input, each once in lib; says their list, with this before each name.
gather_jars() {
  local folder=$1 before=$2 jar names=()
  while IFS= read -r jar; do
    [[ -e $folder/lib/${jar##*/} ]] || cp "$jar" "$folder/lib"
    names+=("$before${jar##*/}")
  done
  (IFS=: && echo "${names[*]}")
}

own_jar() {
  find "$1/target" -maxdepth 1 -name '*.jar' ! -name '*-cluster.jar' ! -name '*-sources.jar' ! -name '*-javadoc.jar'
}

# Unpacked where nobody may write, run as a user who owns nothing. Adds to passed or failed.
test_dist() {
  say "making the distribution and running it (log: $DIST_LOG)"
  local place
  place=$(mktemp -d /tmp/flowstone-dist-XXXXXX)
  if ./flowstone dist >/dev/null && { has_sources_and_javadoc && try_dist "$place" && { ! may_try_service || build-support/service_trial.sh "$DIST_DIR"/flowstone-*.tar.gz; }; } >>"$DIST_LOG" 2>&1; then
    passed=$((passed + 1))
    may_try_service || { say "  the service of docs/tap-service.md was not installed: that takes root and namespaces"; skipped=$((skipped + 1)); }
  else
    fail_step "$(tail -n 1 "$DIST_LOG")" "$DIST_LOG"
  fi
  chmod -R u+w "$place"
  rm -rf "$place"
}

may_try_service() { ((EUID == 0)) && unshare --mount --net --pid --fork true 2>/dev/null; }

try_dist() {
  local place=$1 as=()
  tar -C "$place" -xzf "$DIST_DIR"/flowstone-*.tar.gz
  mkdir "$place/home"
  if ((EUID == 0)); then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chown 65534:65534 "$place/home"
  fi
  chmod -R a-w "$place"/flowstone-*
  chmod a+rx "$place"
  # This shell's state folder is that of whoever runs the tests.
  local try=("${as[@]}" env --unset=FLOWSTONE_STATE --unset=XDG_STATE_HOME "HOME=$place/home" "TMPDIR=$place/home" "JAVA_HOME=$JAVA_HOME"
    "$place"/flowstone-*/flowstone)
  # A cluster outlives the command that started it, and the trial must not leave it behind.
  (cd "$place/home" && trap '"${try[@]}" cluster stop; "${try[@]}" broker stop' EXIT && "${try[@]}" --version && "${try[@]}" demo --seconds 3 --web-port 0 --page-port 0 &&
    "${try[@]}" plan --rate 1M && "${try[@]}" job platform --help && "${try[@]}" cluster start --web-port 0 && "${try[@]}" flink list && "${try[@]}" cluster stop &&
    "${try[@]}" broker start --port 0 && "${try[@]}" broker stop)
}

# Adds to passed or failed.
test_dist_pages() {
  local place missing
  place=$(mktemp -d /tmp/flowstone-dist-XXXXXX)
  if missing=$({ dist_files | xargs -0 cp --parents -t "$place"; } 2>&1) && missing=$(links_lead_somewhere "$place"); then
    passed=$((passed + 1))
  else
    say "  FAILED: in a distribution ${missing//"$place/"/}"
    failed=$((failed + 1))
  fi
  rm -rf "$place"
}

# Pages name others beside them; whoever has only the distribution must find these.
links_lead_somewhere() {
  local page link missing=0
  while IFS= read -r page; do
    while IFS= read -r link; do
      [[ $link == *://* || -e ${page%/*}/$link ]] || { echo "$page names $link, which is not there"; missing=1; }
    done < <(grep -oE '\]\([^)#]+' "$page" | cut -c3-)
  done < <(find "$1" -name '*.md')
  return $missing
}

has_sources_and_javadoc() {
  local kind module
  for kind in sources javadoc; do
    for module in offheap blocks stages connector-fpga-source results operators packet-format jobs-endpoints jobs-platform jobs-sampling jobs-anomaly jobs-histogram; do
      compgen -G "$MAVEN_REPOSITORY/dev/flowstone/flowstone-$module/*/*-$kind.jar" >/dev/null || { echo "no $kind of $module"; return 1; }
    done
  done
}
