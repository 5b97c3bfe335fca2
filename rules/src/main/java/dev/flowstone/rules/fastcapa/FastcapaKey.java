// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.commandline.ClosestName;
import java.util.Optional;
import java.util.stream.Stream;

/** The keys of a rule of fastcapa-ng, and why those without a meaning here have none. */
enum FastcapaKey {
  PROTOCOL("protocol"),
  PROTOCOL_MASK("protocol_mask"),
  SOURCE("srcIP"),
  SOURCE_MASK("srcIP_mask"),
  DESTINATION("dstIP"),
  DESTINATION_MASK("dstIP_mask"),
  SOURCE_PORT("srcPort"),
  SOURCE_PORT_MASK("srcPort_mask"),
  DESTINATION_PORT("dstPort"),
  DESTINATION_PORT_MASK("dstPort_mask"),
  PRIORITY("priority"),
  FLOW_ID("flow_id"),
  FLOW_ID_MASK("flow_id_mask", "a rule's flow id is one number here"),
  RING_ID("ring_id", "rings are filled by the flow hash here; it only tells what is dropped"),
  SERVICE_FUNCTION("service_function"),
  SAMPLING_RATE("sampling_rate"),
  RESOLUTION("resolution"),
  REPORT_INTERVAL("report_interval_tsc"),
  PIPELINE("pipeline", "Flink places the work"),
  CORE_IN_PIPELINE("service_core_in_pipeline", "Flink places the work"),
  CORE("service_core_id", "Flink places the work"),
  TOPIC("kafka_topic");

  private final String text;
  private final Optional<String> whyLeftOut;

  FastcapaKey(String text) {
    this.text = text;
    whyLeftOut = Optional.empty();
  }

  FastcapaKey(String text, String whyLeftOut) {
    this.text = text;
    this.whyLeftOut = Optional.of(whyLeftOut);
  }

  static Optional<FastcapaKey> of(String text) {
    return Stream.of(values()).filter(key -> key.text.equals(text)).findAny();
  }

  /** The key that was probably meant. */
  static Optional<String> likely(String text) {
    return ClosestName.of(text, Stream.of(values()).map(FastcapaKey::toString).toList());
  }

  /** Whether a group is a rule, or meant as a part of one, if it has this key. */
  boolean isOfRules() {
    return whyLeftOut.isEmpty() || this == RING_ID;
  }

  Optional<String> whyLeftOut() {
    return whyLeftOut;
  }

  @Override
  public String toString() {
    return text;
  }
}
