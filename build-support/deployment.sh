# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What jobs and clusters need beyond a build. Sourced by ./flowstone from the project's root.

# Checkpoints, logs, and which cluster there is; a user's own. Whoever has no home must say where.
if [[ -n ${FLOWSTONE_STATE:-}${XDG_STATE_HOME:-}${HOME:-} ]]; then
  export FLOWSTONE_STATE=${FLOWSTONE_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/flowstone}
fi

# Flink's own command line, told where the cluster is that runs here, if one does. From Maven's jars also where FLINK_HOME names a
# distribution: on JDK 25 the one in there fails for want of Hadoop's classes.
run_flink() {
  need_cluster "$@"
  build
  local class_path
  class_path=$(class_path_of flink-conf)
  name_configuration
  cd "$CALLED_FROM"
  local client=("$JAVA_HOME/bin/java" "@$ROOT/build-support/jvm.options" -Xmx512m -cp "$class_path" org.apache.flink.client.cli.CliFrontend "$@")
  if asks_flink_for_help "$@"; then
    "${client[@]}" | sed 's#^\./flink #./flowstone flink #'
  else
    exec "${client[@]}"
  fi
}

# Where Flink's clients read what they are to know: the user's folder, else that of the cluster that runs here, else ours.
name_configuration() {
  local here=${FLOWSTONE_STATE:-}/cluster/conf configuration=$ROOT/flink-conf
  [[ ! -r $here/config.yaml ]] || configuration=$here
  export FLINK_CONF_DIR=${FLINK_CONF_DIR:-$configuration}
}

# Flink's own SQL client, with tables of telemetry. It asks the demo that runs here, unless the user named another Flink. To load and
# check Flink's classes costs most, so the JVM makes a class archive at the end of a user's first session, and again when Flowstone or Java changed.
run_sql() {
  [[ -z ${FLINK_CONF_DIR:-} ]] || PROPERTIES+=(-Dflowstone.configuration.given=true)
  name_configuration
  if [[ -n ${FLOWSTONE_STATE:-} ]] && mkdir -p "$FLOWSTONE_STATE" 2>/dev/null; then own_archive=$FLOWSTONE_STATE/sql.jsa; fi
  run sql/client dev.flowstone.sql.client.SqlCommand "$@"
}

asks_flink_for_help() {
  local argument
  (($# > 0)) || return 0
  for argument; do [[ $argument != -h && $argument != --help ]] || return 0; done
  return 1
}

# Flink's client looks for a minute for a cluster that is not there. A configuration or an option may name another.
need_cluster() {
  local lock=${FLOWSTONE_STATE:-}/cluster/supervisor.pid argument
  [[ -z ${FLINK_CONF_DIR:-} ]] && ! asks_flink_for_help "$@" || return 0
  for argument; do
    case $argument in -m | --jobmanager | -D* | -t | --target | -e | --executor | -v | --version) return 0 ;; esac
  done
  [[ -e $lock ]] && ! flock --nonblock --shared "$lock" true ||
    fail_usage "no cluster runs here: ./flowstone cluster start, or name one with -m HOST:PORT"
}
