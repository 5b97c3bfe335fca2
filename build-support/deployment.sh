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
  build
  local class_path configuration=${FLINK_CONF_DIR:-$ROOT/flink-conf} here=${FLOWSTONE_STATE:-}/cluster/conf
  class_path=$(class_path_of flink-conf)
  cd "$CALLED_FROM"
  [[ -n ${FLINK_CONF_DIR:-} || ! -r $here/config.yaml ]] || configuration=$here
  FLINK_CONF_DIR=$configuration exec "$JAVA_HOME/bin/java" "@$ROOT/build-support/jvm.options" -Xmx512m \
    -cp "$class_path" org.apache.flink.client.cli.CliFrontend "$@"
}
