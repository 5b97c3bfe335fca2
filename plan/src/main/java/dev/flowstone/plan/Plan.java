// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What is said of a site.
 *
 * @param commands for each server, and once at Kafka; none where the site does not fit
 */
record Plan(
    Site site,
    String machine,
    double speed,
    List<Group> groups,
    List<LimitCheck> limits,
    List<String> commands) {

  static Plan of(Site site, CostTable costs, double speed) {
    Sizing sizing = Sizing.of(site, costs, speed);
    List<LimitCheck> limits = LimitCheck.of(sizing, costs, speed);
    return new Plan(
        site,
        costs.machine(),
        speed,
        sizing.groups(),
        limits,
        fits(limits) ? commands(sizing) : List.of());
  }

  boolean fits() {
    return fits(limits);
  }

  private static boolean fits(List<LimitCheck> limits) {
    return limits.stream().allMatch(LimitCheck::fits);
  }

  private static List<String> commands(Sizing sizing) {
    Operation operation = sizing.site().operation();
    Work work = sizing.work();
    List<String> commands = new ArrayList<>();
    commands.add(
        "./flowstone tap live IFACE --threads %d --ring-count %d --ring-bytes %s --hold %.0fs"
            .formatted(
                work.tapThreads(),
                sizing.rings().count(),
                size(sizing.rings().bytesToMake()),
                Math.ceil(sizing.rings().holdSeconds())));
    commands.add(
        "./flowstone job platform --name NAME --rings /dev/shm/flowstone --bootstrap-servers HOST:9092 --parallelism %d"
                .formatted(work.subtasks())
            + " --checkpoint-interval %s --delivery %s --release %s%s"
                .formatted(
                    interval(operation.intervalSeconds()),
                    operation.delivery(),
                    operation.release().name().toLowerCase(Locale.ROOT),
                    sizing.site().traffic().rules() == 0
                        ? ""
                        : " --rules FILE"
                            + (sizing.state().tableBytes() > 0
                                ? " --most-flows " + sizing.state().mostFlows()
                                : "")));
    commands.add(createTopic("packets", sizing));
    if (sizing.site().traffic().rules() > 0) {
      commands.add(createTopic("results", sizing));
    }
    return commands;
  }

  private static String createTopic(String topic, Sizing sizing) {
    return "kafka-topics.sh --bootstrap-server HOST:9092 --create --topic %s --partitions %d"
            .formatted(topic, sizing.kafka().partitions())
        + " --replication-factor "
        + sizing.site().operation().replicas();
  }

  /** As Flink reads it: a whole number. */
  private static String interval(double seconds) {
    long ms = Math.round(1_000 * seconds);
    return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
  }

  private static String size(double bytes) {
    return bytes < 1 << 30
        ? "%.0fk".formatted(bytes / (1 << 10))
        : "%.0fm".formatted(bytes / (1 << 20));
  }
}
