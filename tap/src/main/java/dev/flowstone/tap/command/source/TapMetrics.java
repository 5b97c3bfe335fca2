// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.source;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.raw.SourceNotice;
import dev.flowstone.tap.command.run.RingExposition;
import dev.flowstone.tap.metrics.Exposition;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * The counters of a tap as Prometheus' metrics. A counter has all its labels from the beginning,
 * also those that stand at 0, so that its rate is right from the first packet on.
 */
final class TapMetrics {
  private final Exposition text = new Exposition();
  private final TapReport report;

  private TapMetrics(TapReport report) {
    this.report = report;
  }

  static String text(String name, TapReport report, List<RingFile> files) {
    TapMetrics metrics = new TapMetrics(report);
    metrics
        .text
        .gauge(
            "flowstone_tap_info", "What the tap takes packets from, and by whose clock; always 1.")
        .sample(1, "name", name, "clock", report.clock());
    metrics.tap();
    RingExposition.add(metrics.text, report.rings(), files);
    return metrics.text.toString();
  }

  private void tap() {
    source("packets", "Packets that the source gave, by capture thread.", SourceCounters::packets);
    source("wire_bytes", "Their bytes on the wire.", SourceCounters::wireBytes);
    source("captured_bytes", "Their bytes that were captured.", SourceCounters::capturedBytes);
    source(
        "skipped_records",
        "Records passed over on purpose, such as blocks of a capture file without a packet.",
        SourceCounters::skipped);
    source(
        "lost_packets",
        "Packets that never reached the tap: dropped by the kernel (live), or lost as the capture"
            + " file tells (replay).",
        SourceCounters::lostBeforeTap);
    text.counter("flowstone_tap_malformed_records_total", "Records that could not be used.");
    for (MalformedReason reason : MalformedReason.values()) {
      long count = report.source().malformed().getOrDefault(reason, 0L);
      text.sample(count, "reason", label(reason));
    }
    text.counter("flowstone_tap_notices_total", "What is no loss, but worth knowing.");
    for (SourceNotice notice : SourceNotice.values()) {
      long count = report.source().notices().getOrDefault(notice, 0L);
      text.sample(count, "notice", label(notice));
    }
    text.counter("flowstone_tap_parsed_packets_total", "Packets that the parser described.")
        .sample(report.parsedPackets());
    text.counter(
            "flowstone_tap_offered_packets_total",
            "Packets offered to the rings: each is then written or dropped there.")
        .sample(report.offeredPackets());
  }

  private void source(String what, String help, ToLongFunction<SourceCounters> counter) {
    text.counter("flowstone_tap_source_" + what + "_total", help);
    for (int thread = 0; thread < report.sources().size(); thread++) {
      text.sample(counter.applyAsLong(report.sources().get(thread)), "thread", "" + thread);
    }
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
