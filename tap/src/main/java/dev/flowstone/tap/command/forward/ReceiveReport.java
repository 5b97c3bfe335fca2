// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.tap.command.run.ReportFile;
import dev.flowstone.tap.receive.LossCause;
import dev.flowstone.tap.receive.ReceiveCounters;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a receiver tells of itself.
 *
 * @param rings as their own headers count; none before there was a sender. While rings are
 *     replaced, the counters may be of other ones
 * @param ended whether nothing changes any more
 */
record ReceiveReport(ReceiveCounters counters, List<RingCounters> rings, boolean ended) {

  String line(double seconds) {
    return String.format(
        Locale.ROOT,
        "%,d packets received, %,.0f /s, %,d lost on the way, %,d dropped",
        counters.packets(),
        counters.packets() / seconds,
        counters.lostPackets(),
        sum(RingCounters::droppedPackets));
  }

  private long sum(ToLongFunction<RingCounters> counter) {
    return rings.stream().mapToLong(counter).sum();
  }

  void finish(Optional<Path> file) {
    System.err.printf(
        "%,d packets received = %,d written + %,d dropped%n",
        counters.packets(), sum(RingCounters::writtenPackets), sum(RingCounters::droppedPackets));
    if (counters.lostPackets() > 0) {
      System.err.printf("  %,d were lost before that: %s%n", counters.lostPackets(), words(lost()));
    }
    long before = counters.rings().stream().mapToLong(ReceiveCounters.OfRing::beforeStart).sum();
    if (before > 0) {
      System.err.printf("  %,d came before there was a sender%n", before);
    }
    if (counters.allRefused() > 0) {
      System.err.printf(
          "  %,d of %,d datagrams were refused: %s%n",
          counters.allRefused(), counters.datagrams(), words(counters.refused()));
    }
    file.ifPresent(path -> ReportFile.write(path, json()));
  }

  private Map<LossCause, Long> lost() {
    Map<LossCause, Long> all = new EnumMap<>(LossCause.class);
    counters.rings().forEach(ring -> ring.lost().forEach((c, n) -> all.merge(c, n, Long::sum)));
    return all;
  }

  private static String words(Map<? extends Enum<?>, Long> counts) {
    return counts.entrySet().stream()
        .filter(count -> count.getValue() > 0)
        .map(count -> "%s %,d".formatted(name(count.getKey()), count.getValue()))
        .collect(Collectors.joining(", "));
  }

  static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  String json() {
    return "{\"datagrams\": %d, \"bytes\": %d, \"refused\": {%s}, \"runs\": %d, \"rings\": [%s], \"ended\": %s}%n"
        .formatted(
            counters.datagrams(),
            counters.bytes(),
            fields(counters.refused()),
            counters.runs(),
            IntStream.range(0, Math.min(rings.size(), counters.rings().size()))
                .mapToObj(ring -> ring(counters.rings().get(ring), rings.get(ring)))
                .collect(Collectors.joining(", ")),
            ended);
  }

  private static String ring(ReceiveCounters.OfRing received, RingCounters ring) {
    return "{\"packets\": %d, \"repeated\": %d, \"lost\": {%s}, \"missing_datagrams\": %d, \"waiting_datagrams\": %d, \"before_start\": %d, \"missed_unknown\": %d, \"offered\": %d, \"written\": %d, \"dropped\": %d, \"lost_before_tap\": %d}"
        .formatted(
            received.packets(),
            received.repeated(),
            fields(received.lost()),
            received.missingDatagrams(),
            received.waitingDatagrams(),
            received.beforeStart(),
            received.missedUnknown(),
            ring.offeredPackets(),
            ring.writtenPackets(),
            ring.droppedPackets(),
            ring.lostBeforeTap());
  }

  private static String fields(Map<? extends Enum<?>, Long> counts) {
    return counts.entrySet().stream()
        .map(count -> "\"" + name(count.getKey()) + "\": " + count.getValue())
        .collect(Collectors.joining(", "));
  }
}
