// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.Map;
import java.util.OptionalLong;

/**
 * What functions found and stages counted, on its way.
 *
 * @param sent results that Flink's writers gave to the producer
 * @param back results that a read_committed consumer got back, by kind
 * @param messagesBack all messages that came back
 * @param flowRecordPackets packets that the flow records among them tell of
 * @param toQuestDb results that were to be written there; empty: there is none
 * @param inQuestDb results that it took
 */
record ResultCounters(
    long sent,
    Map<String, Long> back,
    long messagesBack,
    long flowRecordPackets,
    OptionalLong toQuestDb,
    long inQuestDb) {
  private static final String SINK_OPERATOR = "Kafka: results: Writer";

  /** To the same topic. */
  private static final String STAGES_SINK_OPERATOR = "Kafka: stages: Writer";

  /** Against their way. */
  static ResultCounters read(FarEnd farEnd, boolean hasQuestDb) {
    long written = FlinkCounters.sum("resultsWritten");
    long messages = farEnd.resultMessages();
    Map<String, Long> back = farEnd.findings().kinds();
    long recordPackets = farEnd.findings().flowRecordPackets();
    return new ResultCounters(
        FlinkCounters.ofOperator(SINK_OPERATOR, "numRecordsSend")
            + FlinkCounters.ofOperator(STAGES_SINK_OPERATOR, "numRecordsSend"),
        back,
        messages,
        recordPackets,
        hasQuestDb ? OptionalLong.of(FlinkCounters.sum("resultsReceived")) : OptionalLong.empty(),
        written);
  }
}
