// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.monitoring.ClusterView.Job;
import dev.flowstone.monitoring.stats.KnownStage;
import java.util.List;
import java.util.Map;

/**
 * A job as Flink's REST interface tells of it.
 *
 * @param job null: there is none
 * @param hasEnded its counters are those that Flink saw last, or
 * @param isReported those that its stages reported last
 * @param startMs when it was sent
 * @param runningMs since it was started last, by Flink's clock; with its counters
 * @param ratesOverMs so long before that is the other moment that rates are made of; 0: all rests
 * @param equation where the packets are that were read
 * @param problems why it is not healthy, one line for each; none: it is, or has ended
 * @param ofRules packets by rule, as Flink's REST interface spells its name
 */
record FlinkView(
    Job job,
    List<Job> otherJobs,
    boolean hasEnded,
    boolean isReported,
    long startMs,
    long runningMs,
    long ratesOverMs,
    long restarts,
    List<Stage> stages,
    List<Pair> pairs,
    String equation,
    List<String> problems,
    Map<String, Count> ofRules,
    RulesCourse.View rules,
    List<Failure> failures,
    List<Worker> taskManagers) {

  /**
   * An operator that counts.
   *
   * @param id Flink's name of it
   * @param out null: it sends no packets on
   * @param made null: it makes nothing of packets
   * @param isBalanced false: packets are missing here
   */
  record Stage(
      String id,
      KnownStage kind,
      String title,
      boolean isOfPackets,
      Count in,
      Count out,
      Count made,
      List<LeftOut> leftOut,
      List<Ring> rings,
      boolean isBalanced) {}

  record LeftOut(String reason, Count packets) {}

  /** What a source has read of one ring. */
  record Ring(String name, Count packets, List<LeftOut> leftOut) {}

  /** Two counters that should be equal, in words. */
  record Pair(KnownStage at, String words, StageMoments.Verdict verdict) {}

  /**
   * Why Flink had to start tasks again.
   *
   * @param reason the first words of it
   * @param task empty: of the job as a whole
   * @param taskManager where; empty: Flink does not say
   */
  record Failure(long timeMs, String reason, String task, String taskManager) {}

  /** A TaskManager. */
  record Worker(String id, String place, int slots, int freeSlots, long silentMs) {}
}
