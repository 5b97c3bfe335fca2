#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a container of this image does, named as in Flink's own images, which Flink and its operator for Kubernetes rely on.
set -euo pipefail

case ${1:-help} in
  jobmanager | taskmanager | standalone-job)
    role=$1
    shift
    exec "$FLINK_HOME/bin/$role.sh" start-foreground "$@"
    ;;
  help)
    cat <<'TEXT'
jobmanager [-D KEY=VALUE...]       Flink's JobManager, for jobs that are submitted
taskmanager [-D KEY=VALUE...]      a TaskManager; -D jobmanager.rpc.address=HOST says whose
standalone-job [-D KEY=VALUE...]   a JobManager with its job: --jars local:///PATH, and the job's own options
flowstone ...                      all that ./flowstone of a distribution can do, the tap first: flowstone help
anything else                      that program, Flink's scripts of /opt/flink/bin among them
TEXT
    ;;
  *) exec "$@" ;;
esac
