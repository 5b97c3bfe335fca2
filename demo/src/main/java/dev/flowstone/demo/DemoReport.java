// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.offheap.ring.RingCounters;
import java.io.IOException;
import java.nio.file.Path;

/** The final counters as JSON. */
final class DemoReport {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private DemoReport() {}

  static void write(
      Path file, DemoCounters counters, Findings findings, Balance balance, double seconds)
      throws IOException {
    ObjectNode report = JSON.createObjectNode();
    report.put("offered", counters.tap().offered());
    report.put("written", counters.written());
    report.put("dropped", counters.dropped());
    report.put("consumed", counters.consumer().packets());
    report.put("lost", counters.consumer().lost());
    report.put("not_passed", counters.functions().notPassed());
    report.put("balanced", balance.isRight());
    balance.differences().forEach(pair -> report.withArray("differences").add(pair.toString()));
    report.put("seconds", seconds);
    report.set("tap", counters.tap().json());
    counters.rings().forEach(ring -> report.withArray("rings").add(ring(ring)));
    report
        .putObject("source")
        .put("in", counters.source().packetsIn())
        .put("out", counters.source().packetsOut())
        .put("lost", counters.source().lost());
    report.set("rules", rules(counters.functions()));
    ObjectNode functions = report.putObject("functions");
    counters.functions().functions().forEach(each -> functions.set(each.key(), function(each)));
    report
        .putObject("packet_batches")
        .put("in", counters.batches().packetsIn())
        .put("out", counters.batches().packetsOut())
        .put("messages", counters.batches().messages())
        .put("bytes", counters.batches().bytes());
    report
        .putObject("kafka")
        .put("messages_in", counters.kafka().messagesIn())
        .put("messages_out", counters.kafka().messagesOut());
    report
        .putObject("consumer")
        .put("packets", counters.consumer().packets())
        .put("lost", counters.consumer().lost())
        .put("lost_before_tap", counters.consumer().lostBeforeTap());
    report.set("results", results(counters.results(), findings));
    report.put("flink_restarts", counters.restarts());
    OutputFile.write(file, JSON.writeValueAsBytes(report));
  }

  private static ObjectNode rules(FunctionCounters functions) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("in", functions.packetsIn())
            .put("dropped", functions.dropped())
            .put("version", functions.rules().version())
            .put("refused", functions.rules().refused());
    ObjectNode packets = json.putObject("packets_of_rule");
    functions.packetsOfRule().forEach(packets::put);
    return json;
  }

  private static ObjectNode function(FunctionCounters.Function function) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("sent", function.sent())
            .put("in", function.in())
            .put("left_out", function.leftOut());
    function.out().ifPresent(out -> json.put("out", out));
    return json;
  }

  private static ObjectNode results(ResultCounters results, Findings findings) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("messages_in", results.sent())
            .put("messages_out", results.messagesBack())
            .put("packets_in_flow_records", results.flowRecordPackets())
            .put("alerts_opened", findings.alertsOpened());
    ObjectNode kinds = json.putObject("kinds");
    results.back().forEach(kinds::put);
    results
        .toQuestDb()
        .ifPresent(
            sent -> json.putObject("questdb").put("in", sent).put("out", results.inQuestDb()));
    return json;
  }

  private static ObjectNode ring(RingCounters ring) {
    return JSON.createObjectNode()
        .put("offered", ring.offeredPackets())
        .put("written", ring.writtenPackets())
        .put("dropped", ring.droppedPackets())
        .put("lost_recorded", ring.lostRecorded());
  }
}
