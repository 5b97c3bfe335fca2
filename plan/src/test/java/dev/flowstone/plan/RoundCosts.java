// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.EnumMap;
import java.util.Map;

/** Costs that can be reckoned with by head, and a site of them. */
final class RoundCosts {
  static final CostTable TABLE = new CostTable("a machine of the mind", values());

  private RoundCosts() {}

  private static Map<Cost, Double> values() {
    Map<Cost, Double> values = new EnumMap<>(Cost.class);
    for (Cost cost : Cost.values()) {
      values.put(cost, value(cost));
    }
    return values;
  }

  private static double value(Cost cost) {
    return switch (cost) {
      case TAP_TAKE, TAP_PARSE -> 20;
      case TAP_SCATTER -> 10;
      case TAP_MEMORY -> 100;
      case JOB_READ -> 5;
      case JOB_IDLE -> 0.1;
      case JOB_MEMORY -> 1_000;
      case JOB_SUBTASK -> 50;
      case RULES_16 -> 15;
      case RULES_1000 -> 55;
      case PASS_PACKET -> 40;
      case SAMPLE_PACKET -> 10;
      case AGGREGATE_PACKET -> 200;
      case AGGREGATE_FLOW -> 100;
      case AGGREGATE_CHECKPOINT -> 80;
      case AGGREGATE_RESULT -> 300;
      case HISTOGRAM_10K -> 100;
      case HISTOGRAM_1M -> 300;
      case HISTOGRAM_FLOW -> 980;
      case HISTOGRAM_CHECKPOINT -> 840;
      case HISTOGRAM_RESULT -> 700;
      case ANOMALY_PACKET -> 10;
      case ANOMALY_SUBTASK -> 200;
      case INDEX_FLOW -> 20;
      case CHECKPOINT_TIME -> 0.5;
      case RESTART_TIME -> 10;
      case KAFKA_20 -> 40;
      case KAFKA_200 -> 20;
      case KAFKA_16000 -> 10;
      case BROKER_BYTE -> 2;
      case BROKER_IDLE -> 0.01;
    };
  }

  static final Machine MACHINE = new Machine(16, 128L << 30, 1e9, 200e6, 1e12);

  static final Operation OPERATION =
      new Operation(
          10, 10, Operation.Delivery.EXACTLY_ONCE, Operation.Release.ON_CHECKPOINT, 0.5, 1_000, 3);

  static final Traffic ALL_PASS = new Traffic(10e6, 1e6, Map.of(Function.PASS, 1.0), 0, 100, 0);

  static final Traffic ALL_FUNCTIONS =
      new Traffic(
          10e6,
          1e6,
          Map.of(
              Function.PASS, 0.5,
              Function.SAMPLE, 0.1,
              Function.AGGREGATE, 0.2,
              Function.HISTOGRAM, 0.1,
              Function.ANOMALY, 0.05,
              Function.DROP, 0.05),
          16,
          10,
          0);

  static Site site(Traffic traffic) {
    return new Site(4, traffic, OPERATION, MACHINE);
  }

  static Sizing sizing(Traffic traffic) {
    return Sizing.of(site(traffic), TABLE, 1);
  }
}
