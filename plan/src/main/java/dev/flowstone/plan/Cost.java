// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.Locale;

/** What is measured of the product and kept as a row of the {@link CostTable}. */
enum Cost {
  TAP_TAKE(Measure.NS),
  TAP_PARSE(Measure.NS),
  TAP_SCATTER(Measure.NS),
  TAP_MEMORY(Measure.MIB),
  JOB_READ(Measure.NS),
  JOB_IDLE(Measure.CORES),
  JOB_MEMORY(Measure.MIB),
  JOB_SUBTASK(Measure.MIB),
  RULES_16(Measure.NS),
  RULES_1000(Measure.NS),
  PASS_PACKET(Measure.NS),
  SAMPLE_PACKET(Measure.NS),
  AGGREGATE_PACKET(Measure.NS),
  AGGREGATE_FLOW(Measure.BYTES),
  AGGREGATE_CHECKPOINT(Measure.BYTES),
  AGGREGATE_RESULT(Measure.BYTES),
  HISTOGRAM_10K(Measure.NS),
  HISTOGRAM_1M(Measure.NS),
  HISTOGRAM_FLOW(Measure.BYTES),
  HISTOGRAM_CHECKPOINT(Measure.BYTES),
  HISTOGRAM_RESULT(Measure.BYTES),
  ANOMALY_PACKET(Measure.NS),
  ANOMALY_SUBTASK(Measure.MIB),
  INDEX_FLOW(Measure.BYTES),
  CHECKPOINT_TIME(Measure.SECONDS),
  RESTART_TIME(Measure.SECONDS),
  KAFKA_20(Measure.BYTES),
  KAFKA_200(Measure.BYTES),
  KAFKA_16000(Measure.BYTES),
  BROKER_BYTE(Measure.NS),
  BROKER_IDLE(Measure.CORES);

  /** In what a cost is told; only times of a processor depend on how fast it is. */
  enum Measure {
    NS("ns"),
    CORES("cores"),
    BYTES("bytes"),
    MIB("MiB"),
    SECONDS("s");

    private final String text;

    Measure(String text) {
      this.text = text;
    }

    boolean isProcessorTime() {
      return this == NS || this == CORES;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final Measure measure;

  Cost(Measure measure) {
    this.measure = measure;
  }

  /** What its row is called: tap.take. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  Measure measure() {
    return measure;
  }
}
