// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import static dev.flowstone.plan.Cost.AGGREGATE_RESULT;
import static dev.flowstone.plan.Cost.BROKER_BYTE;
import static dev.flowstone.plan.Cost.BROKER_IDLE;
import static dev.flowstone.plan.Cost.HISTOGRAM_RESULT;
import static dev.flowstone.plan.Cost.KAFKA_16000;
import static dev.flowstone.plan.Cost.KAFKA_20;
import static dev.flowstone.plan.Cost.KAFKA_200;

import java.util.ArrayList;
import java.util.List;

/** What Kafka gets, and what its brokers need for it. */
record Kafka(Site site, CostTable costs, Work work, FlowState state) {
  /** Of the platform job: --batch-packets and --batch-wait-ms. */
  private static final double MOST_IN_MESSAGE = 16_000;

  private static final double MESSAGE_SECONDS = 0.05;

  private static final double FEW = 20;
  private static final double SOME = 200;
  private static final double NS_PER_SECOND = 1e9;

  /** A flow is told no sooner than it has been silent for the usual idle timeout of its record. */
  private static final double IDLE_TIMEOUT_SECONDS = 15;

  /** Usual of histograms. */
  private static final double HISTOGRAM_INTERVAL_SECONDS = 10;

  private static final double BITS_PER_BYTE = 8;
  private static final double SINKS_BY_RULES = 3;

  /** The default of a broker's transactional.id.expiration.ms. */
  private static final double ID_EXPIRATION_SECONDS = 7 * 86_400;

  double passed() {
    return packets(Function.PASS);
  }

  double sampled() {
    return packets(Function.SAMPLE) / site.traffic().oneIn();
  }

  private double packets(Function function) {
    return site.traffic().packetsPerSecond() * site.traffic().share(function);
  }

  /** How many packets a message has: what comes to a ring until it must leave, or is full. */
  double inMessage() {
    return Math.clamp(passed() / work.subtasks() * MESSAGE_SECONDS, 1, MOST_IN_MESSAGE);
  }

  /** Bytes that are shared by a message's packets are fewer for each the more these are. */
  double bytesOfPassed() {
    double packets = Math.clamp(inMessage(), FEW, MOST_IN_MESSAGE);
    return packets < SOME
        ? between(packets, FEW, costs.of(KAFKA_20), SOME, costs.of(KAFKA_200))
        : between(packets, SOME, costs.of(KAFKA_200), MOST_IN_MESSAGE, costs.of(KAFKA_16000));
  }

  private static double between(double at, double from, double first, double to, double last) {
    return first + (last - first) * Math.log(at / from) / Math.log(to / from);
  }

  double packetBytesPerSecond() {
    return passed() * bytesOfPassed() + sampled() * costs.of(KAFKA_20);
  }

  double flowRecordsPerSecond() {
    return Math.min(
        packets(Function.AGGREGATE),
        site.traffic().flowsOf(Function.AGGREGATE) / IDLE_TIMEOUT_SECONDS);
  }

  double histogramsPerSecond() {
    return Math.min(
        packets(Function.HISTOGRAM),
        site.traffic().flowsOf(Function.HISTOGRAM) / HISTOGRAM_INTERVAL_SECONDS);
  }

  double resultBytesPerSecond() {
    return flowRecordsPerSecond() * costs.of(AGGREGATE_RESULT)
        + histogramsPerSecond() * costs.of(HISTOGRAM_RESULT);
  }

  /** From one server. */
  double bytesPerSecond() {
    return packetBytesPerSecond() + resultBytesPerSecond();
  }

  double uplinkBitsPerSecond() {
    return BITS_PER_BYTE * bytesPerSecond();
  }

  /** To all disks of all brokers. */
  double writtenPerSecond() {
    return bytesPerSecond() * site.servers() * site.operation().replicas();
  }

  double keptBytes() {
    return writtenPerSecond() * site.operation().retentionSeconds();
  }

  int disks() {
    return (int)
        Math.max(
            Math.max(1, site.operation().replicas()),
            Math.ceil(
                Math.max(
                    writtenPerSecond() / site.machine().diskBytesPerSecond(),
                    keptBytes() / site.machine().diskBytes())));
  }

  private double coresForBytes() {
    return writtenPerSecond() * costs.of(BROKER_BYTE) / NS_PER_SECOND;
  }

  /** Of all brokers. */
  double brokerCores() {
    return coresForBytes() + brokers() * costs.of(BROKER_IDLE);
  }

  int partitions() {
    return work.subtasks() * site.servers();
  }

  /** A leader sends its followers what it gets. */
  private double brokerBitsPerSecond() {
    return BITS_PER_BYTE * writtenPerSecond();
  }

  int brokers() {
    double byCores = coresForBytes() / site.operation().busy() / site.machine().cores();
    double byLink = brokerBitsPerSecond() / site.machine().uplinkBitsPerSecond();
    return (int) Math.max(site.operation().replicas(), Math.ceil(Math.max(byCores, byLink)));
  }

  /** How long after it came a packet is seen by who reads what is committed, at most. */
  double visibleSeconds() {
    return switch (site.operation().delivery()) {
      case EXACTLY_ONCE ->
          site.operation().intervalSeconds() + state.checkpointSeconds() + MESSAGE_SECONDS;
      case AT_LEAST_ONCE -> MESSAGE_SECONDS;
    };
  }

  /** By rules the platform job has one of packets, one of results, and one of its stages. */
  private double sinks() {
    return site.traffic().rules() == 0 ? 1 : SINKS_BY_RULES;
  }

  private double transactionsPerSecond() {
    return sinks() * work.subtasks() / site.operation().intervalSeconds();
  }

  private String ofSinks() {
    return sinks() == 1 ? "" : " of packets, one of results, one of what stages count, at most";
  }

  private void addDelivery(List<Amount> amounts) {
    boolean transactions = site.operation().delivery() == Operation.Delivery.EXACTLY_ONCE;
    if (transactions) {
      amounts.add(
          Amount.ofServers(
              "transactions",
              transactionsPerSecond(),
              site.servers(),
              Unit.PACKETS_PER_SECOND,
              "for each subtask and checkpoint one" + ofSinks()));
      amounts.add(
          Amount.ofServers(
              "transactional IDs",
              transactionsPerSecond() * ID_EXPIRATION_SECONDS,
              site.servers(),
              Unit.COUNT,
              "that the brokers keep: one of each transaction, for transactional.id.expiration.ms (7 d)"));
    }
    amounts.add(
        Amount.ofEach(
            "seen after",
            visibleSeconds(),
            Unit.SECONDS,
            transactions
                ? "interval + duration of a checkpoint, and a message's 50 ms, at most"
                : "a message's 50 ms, at most; twice after a failure"));
  }

  Group group() {
    int servers = site.servers();
    int replicas = site.operation().replicas();
    List<Amount> amounts = new ArrayList<>();
    if (passed() > 0) {
      amounts.add(
          bytesPerSecond(
              "packets",
              passed() * bytesOfPassed(),
              "%s x %s B, %s in a message"
                  .formatted(
                      Unit.PACKETS_PER_SECOND.of(passed()),
                      Unit.digits(bytesOfPassed()),
                      Unit.COUNT.of(inMessage()))));
    }
    if (sampled() > 0) {
      amounts.add(
          bytesPerSecond(
              "samples",
              sampled() * costs.of(KAFKA_20),
              "%s x %s B: few share a flow"
                  .formatted(
                      Unit.PACKETS_PER_SECOND.of(sampled()), Unit.digits(costs.of(KAFKA_20)))));
    }
    if (flowRecordsPerSecond() > 0) {
      amounts.add(
          bytesPerSecond(
              "flow records",
              flowRecordsPerSecond() * costs.of(AGGREGATE_RESULT),
              "%s x %s B: each flow once in %s at most"
                  .formatted(
                      Unit.PACKETS_PER_SECOND.of(flowRecordsPerSecond()),
                      Unit.digits(costs.of(AGGREGATE_RESULT)),
                      Unit.SECONDS.of(IDLE_TIMEOUT_SECONDS))));
    }
    if (histogramsPerSecond() > 0) {
      amounts.add(
          bytesPerSecond(
              "histograms",
              histogramsPerSecond() * costs.of(HISTOGRAM_RESULT),
              "%s x %s B: each flow once in %s at most"
                  .formatted(
                      Unit.PACKETS_PER_SECOND.of(histogramsPerSecond()),
                      Unit.digits(costs.of(HISTOGRAM_RESULT)),
                      Unit.SECONDS.of(HISTOGRAM_INTERVAL_SECONDS))));
    }
    amounts.add(
        Amount.ofServers(
            "partitions",
            work.subtasks(),
            servers,
            Unit.COUNT,
            "one for each ring, so that the order within a flow holds"));
    addDelivery(amounts);
    amounts.add(
        Amount.ofAll(
            "written to disks",
            writtenPerSecond(),
            Unit.BYTES_PER_SECOND,
            "all that comes x %d replicas".formatted(replicas)));
    amounts.add(
        Amount.ofAll(
            "kept",
            keptBytes(),
            Unit.BYTES,
            "for " + Unit.SECONDS.of(site.operation().retentionSeconds())));
    amounts.add(
        Amount.ofAll(
            "disks to buy",
            disks(),
            Unit.COUNT,
            "%s and %s each; no fewer than replicas"
                .formatted(
                    Unit.BYTES_PER_SECOND.of(site.machine().diskBytesPerSecond()),
                    Unit.MEMORY.of(site.machine().diskBytes()))));
    amounts.add(
        Amount.ofAll(
            "brokers' cores",
            brokerCores(),
            Unit.CORES,
            "written x %s ns a byte + %d x %s"
                .formatted(
                    Unit.digits(costs.of(BROKER_BYTE)),
                    brokers(),
                    Unit.CORES.of(costs.of(BROKER_IDLE)))));
    amounts.add(
        Amount.ofAll(
            "brokers to buy",
            brokers(),
            Unit.COUNT,
            "%d cores and %s each; no fewer than replicas"
                .formatted(
                    site.machine().cores(),
                    Unit.BITS_PER_SECOND.of(site.machine().uplinkBitsPerSecond()))));
    return new Group("Kafka", amounts);
  }

  private Amount bytesPerSecond(String name, double value, String how) {
    return Amount.ofServers(name, value, site.servers(), Unit.BYTES_PER_SECOND, how);
  }
}
