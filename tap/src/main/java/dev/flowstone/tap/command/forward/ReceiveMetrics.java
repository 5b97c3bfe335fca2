// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.tap.command.run.RingExposition;
import dev.flowstone.tap.metrics.Exposition;
import dev.flowstone.tap.receive.ReceiveCounters;
import java.util.List;
import java.util.function.ToLongFunction;

/** The counters of a receiver and its rings as Prometheus' metrics. */
final class ReceiveMetrics {
  private final Exposition text = new Exposition();
  private final ReceiveCounters counters;

  private ReceiveMetrics(ReceiveCounters counters) {
    this.counters = counters;
  }

  /**
   * @param listen where it listens
   * @param socketBytes what the kernel keeps while it is busy
   */
  static String text(String listen, int socketBytes, ReceiveReport report, List<RingFile> files) {
    ReceiveMetrics metrics = new ReceiveMetrics(report.counters());
    metrics
        .text
        .gauge("flowstone_receive_info", "Where it listens; always 1.")
        .sample(1, "listen", listen);
    metrics
        .text
        .gauge(
            "flowstone_receive_socket_buffer_bytes",
            "What the kernel keeps of datagrams while the receiver is busy.")
        .sample(socketBytes);
    metrics.datagrams();
    metrics.rings();
    RingExposition.add(metrics.text, report.rings(), files);
    return metrics.text.toString();
  }

  private void datagrams() {
    text.counter(
            "flowstone_receive_datagrams_total",
            "Datagrams that came: each is used, refused, or waits for others before it.")
        .sample(counters.datagrams());
    text.counter("flowstone_receive_bytes_total", "Bytes in these.").sample(counters.bytes());
    text.counter("flowstone_receive_refused_datagrams_total", "Datagrams that were not used.");
    counters
        .refused()
        .forEach((reason, count) -> text.sample(count, "reason", ReceiveReport.name(reason)));
    text.gauge("flowstone_receive_waiting_datagrams", "Datagrams that wait for others before them.")
        .sample(counters.waiting());
    text.counter("flowstone_receive_runs_total", "Starts of senders that were listened to.")
        .sample(counters.runs());
  }

  private void rings() {
    ring("packets", "Packets handed to the ring.", ReceiveCounters.OfRing::packets);
    ring(
        "repeated_packets",
        "Packets that a sender that was started again sent once more; they are left out.",
        ReceiveCounters.OfRing::repeated);
    text.counter(
        "flowstone_receive_lost_packets_total",
        "Packets of the sender's ring that did not come, told as lost before the tap in ring 0.");
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      String label = "" + ring;
      counters
          .rings()
          .get(ring)
          .lost()
          .forEach(
              (cause, count) ->
                  text.sample(count, "ring", label, "cause", ReceiveReport.name(cause)));
    }
    ring(
        "missing_datagrams",
        "Datagrams between others, that did not come in time.",
        ReceiveCounters.OfRing::missingDatagrams);
    ring(
        "before_start_packets",
        "Packets that the sender's ring was offered before there was a sender: no loss.",
        ReceiveCounters.OfRing::beforeStart);
    ring(
        "missed_unknown",
        "Times that the sender's tap had been started again so often that nobody knows how many packets"
            + " were missed.",
        ReceiveCounters.OfRing::missedUnknown);
  }

  private void ring(String what, String help, ToLongFunction<ReceiveCounters.OfRing> counter) {
    text.counter("flowstone_receive_" + what + "_total", help);
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      text.sample(counter.applyAsLong(counters.rings().get(ring)), "ring", "" + ring);
    }
  }
}
