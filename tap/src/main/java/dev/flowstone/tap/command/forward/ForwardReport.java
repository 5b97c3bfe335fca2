// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.tap.command.run.ReportFile;
import dev.flowstone.tap.forward.ForwardCounters;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a sender tells of itself.
 *
 * @param ended whether nothing changes any more
 */
record ForwardReport(ForwardCounters counters, boolean ended) {

  String line(double seconds) {
    ForwardCounters.OfRing sum = counters.sum();
    return String.format(
        Locale.ROOT,
        "%,d packets sent, %,.0f /s, %,d lost in the ring, %,d to read",
        sum.sent(),
        sum.sent() / seconds,
        sum.lostInRing(),
        sum.backlogSlots());
  }

  void finish(Optional<Path> file) {
    ForwardCounters.OfRing sum = counters.sum();
    System.err.printf(
        "%,d packets read = %,d sent + %,d unsent, in %,d datagrams%n",
        sum.read(), sum.sent(), sum.unsent(), counters.datagrams());
    if (sum.lostInRing() > 0) {
      System.err.printf(
          "  %,d were lost in the ring: it dropped them, or this came too late%n",
          sum.lostInRing());
    }
    if (sum.lostBeforeTap() > 0) {
      System.err.printf("  %,d were lost before the tap%n", sum.lostBeforeTap());
    }
    if (sum.beforeStart() > 0) {
      System.err.printf(
          "  %,d came before this began, which an earlier run may have sent%n", sum.beforeStart());
    }
    if (counters.unreachable() > 0) {
      System.err.printf(
          "  %,d times nobody listened, as the other host said%n", counters.unreachable());
    }
    file.ifPresent(path -> ReportFile.write(path, json()));
  }

  String json() {
    return "{\"datagrams\": %d, \"bytes\": %d, \"unsent_datagrams\": %d, \"unreachable\": %d, \"rings\": [%s], \"ended\": %s}%n"
        .formatted(
            counters.datagrams(),
            counters.bytes(),
            counters.unsentDatagrams(),
            counters.unreachable(),
            counters.rings().stream().map(ForwardReport::ring).collect(Collectors.joining(", ")),
            ended);
  }

  private static String ring(ForwardCounters.OfRing ring) {
    return "{\"read\": %d, \"sent\": %d, \"unsent\": %d, \"lost_in_ring\": %d, \"lost_before_tap\": %d, \"before_start\": %d}"
        .formatted(
            ring.read(),
            ring.sent(),
            ring.unsent(),
            ring.lostInRing(),
            ring.lostBeforeTap(),
            ring.beforeStart());
  }
}
