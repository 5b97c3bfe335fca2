// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.tap.forward.ForwardCounters;
import dev.flowstone.tap.metrics.Exposition;
import java.util.function.ToLongFunction;

/** The counters of a sender as Prometheus' metrics. */
final class ForwardMetrics {
  private final Exposition text = new Exposition();
  private final ForwardCounters counters;

  private ForwardMetrics(ForwardCounters counters) {
    this.counters = counters;
  }

  /**
   * @param to where it sends
   * @param reader by which name it reads
   */
  static String text(String to, String reader, ForwardCounters counters) {
    ForwardMetrics metrics = new ForwardMetrics(counters);
    metrics
        .text
        .gauge("flowstone_forward_info", "Where it sends, and as which reader; always 1.")
        .sample(1, "to", to, "reader", reader);
    metrics.rings();
    metrics.datagrams();
    return metrics.text.toString();
  }

  private void rings() {
    ring("read", "Packets found in the ring.", ForwardCounters.OfRing::read);
    ring("sent", "Of these, in datagrams that were sent.", ForwardCounters.OfRing::sent);
    ring(
        "unsent",
        "Of these, in datagrams that the kernel did not take.",
        ForwardCounters.OfRing::unsent);
    text.counter(
        "flowstone_forward_lost_packets_total",
        "Packets that could not be sent, by cause: ring, the ring dropped them or the sender came too"
            + " late; before_tap, they never reached the tap.");
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      ForwardCounters.OfRing each = counters.rings().get(ring);
      text.sample(each.lostInRing(), "ring", "" + ring, "cause", "ring");
      text.sample(each.lostBeforeTap(), "ring", "" + ring, "cause", "before_tap");
    }
    ring(
        "before_start",
        "Packets that the ring was offered before the sender began, and that it does not send.",
        ForwardCounters.OfRing::beforeStart);
    text.gauge("flowstone_forward_backlog_slots", "Published in the ring and not read yet.");
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      text.sample(counters.rings().get(ring).backlogSlots(), "ring", "" + ring);
    }
  }

  private void ring(String what, String help, ToLongFunction<ForwardCounters.OfRing> counter) {
    text.counter("flowstone_forward_" + what + "_packets_total", help);
    for (int ring = 0; ring < counters.rings().size(); ring++) {
      text.sample(counter.applyAsLong(counters.rings().get(ring)), "ring", "" + ring);
    }
  }

  private void datagrams() {
    text.counter("flowstone_forward_datagrams_total", "Datagrams sent.")
        .sample(counters.datagrams());
    text.counter("flowstone_forward_bytes_total", "Bytes in these.").sample(counters.bytes());
    text.counter(
            "flowstone_forward_unsent_datagrams_total",
            "Datagrams that the kernel did not take: there is no route, or they are too long for the"
                + " path.")
        .sample(counters.unsentDatagrams());
    text.counter(
            "flowstone_forward_unreachable_total",
            "Times that the other host said that nobody listens there.")
        .sample(counters.unreachable());
  }
}
