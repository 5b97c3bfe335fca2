// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.MetricGroup;

/**
 * The stages that are at work in this process, by job. What a job's stages count is found here by
 * whoever tells of it, so that none of them has to do so itself: sources and sinks could not. Any
 * thread.
 *
 * <p>A stage is here from its first counter until Flink takes its metrics back. Who looks for the
 * stages of an interval gets those that nobody has got for it: several may look, and each stage is
 * told once.
 */
public final class StageBoard {
  private static final StageBoard OF_THIS_PROCESS = new StageBoard();

  private final Map<Stage.Identity, Stage> stages = new LinkedHashMap<>();

  StageBoard() {}

  public static StageBoard ofThisProcess() {
    return OF_THIS_PROCESS;
  }

  synchronized Stage stage(Stage.Identity identity, MetricGroup group) {
    stages.values().removeIf(Stage::isClosed);
    return stages.computeIfAbsent(
        identity, it -> new Stage(it, Stage.closing(group), System.currentTimeMillis()));
  }

  /**
   * What the stages of a job have counted that nobody asked for in this interval, or a later one.
   *
   * @param interval number of one, by the clock
   * @param current that of the one which the clock is in by now
   */
  public List<StageCounts> due(String jobId, long interval, long current) {
    List<StageCounts> counts = new ArrayList<>();
    ofJob(jobId).forEach(stage -> counts.addAll(stage.due(interval, current)));
    return counts;
  }

  /** What they have counted by now, whoever was told. */
  public List<StageCounts> now(String jobId) {
    List<StageCounts> counts = new ArrayList<>();
    ofJob(jobId).forEach(stage -> counts.addAll(stage.counts()));
    return counts;
  }

  private synchronized List<Stage> ofJob(String jobId) {
    List<Stage> found = new ArrayList<>();
    stages.forEach(
        (identity, stage) -> {
          if (identity.jobId().equals(jobId) && !stage.isClosed()) {
            found.add(stage);
          }
        });
    return found;
  }
}
