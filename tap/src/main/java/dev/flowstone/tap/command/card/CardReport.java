// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.tap.card.CardCounters;
import dev.flowstone.tap.card.CardLoss;
import dev.flowstone.tap.card.CardRingCounters;
import dev.flowstone.tap.card.CardSourceCounters;
import dev.flowstone.tap.card.PortCounters;
import dev.flowstone.tap.card.PumpCounters;
import dev.flowstone.tap.command.run.ReportFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What a tap of cards tells of itself.
 *
 * @param ended whether nothing changes any more
 */
record CardReport(List<OfCard> cards, boolean ended) {
  /**
   * @param files the ring files as their own headers count, of the latest start
   */
  record OfCard(CardCounters card, List<RingCounters> files) {
    private long sum(ToLongFunction<RingCounters> counter) {
      return files.stream().mapToLong(counter).sum();
    }
  }

  String line(double seconds) {
    long packets = cards.stream().mapToLong(card -> card.card().packets()).sum();
    return String.format(
        Locale.ROOT,
        "%,d packets, %,.0f /s, %,d lost on the way, %,d dropped",
        packets,
        packets / seconds,
        cards.stream().mapToLong(card -> card.card().lostPackets()).sum(),
        cards.stream().mapToLong(card -> card.sum(RingCounters::droppedPackets)).sum());
  }

  void finish(Optional<Path> file) {
    cards.forEach(CardReport::say);
    file.ifPresent(path -> ReportFile.write(path, json()));
  }

  private static void say(OfCard of) {
    CardCounters card = of.card();
    System.err.printf(
        "%s: %,d packets received, %,d filtered; %,d offered = %,d written + %,d dropped%n",
        card.card(),
        card.receivedPackets(),
        card.filteredPackets(),
        of.sum(RingCounters::offeredPackets),
        of.sum(RingCounters::writtenPackets),
        of.sum(RingCounters::droppedPackets));
    for (int port = 0; port < card.sources().size(); port++) {
      CardSourceCounters source = card.sources().get(port);
      System.err.printf("  sent to port %d: %s%n", port, words(source));
    }
    if (card.lostPackets() > 0) {
      System.err.printf(
          "  %,d were lost before that: %s%n", card.lostPackets(), words(card.losses()));
    }
    if (card.surplusPackets() > 0) {
      System.err.printf("  %,d came twice%n", card.surplusPackets());
    }
    if (card.starts() > 1) {
      System.err.printf(
          "  the card was started %d times, and these counters are of the last one%n",
          card.starts());
    }
  }

  private static String words(CardSourceCounters source) {
    boolean hasEnd = source.wantedPackets() != CardSourceCounters.WITHOUT_END;
    return "%,d%s packets of captures%s%s"
        .formatted(
            source.sentPackets(),
            hasEnd ? " of %,d".formatted(source.wantedPackets()) : "",
            source.readFailed() ? "; then the card's memory refused a read" : "",
            source.cutShort() ? "; then the card's memory ended in a block" : "");
  }

  private static String words(Map<CardLoss, Long> losses) {
    return losses.entrySet().stream()
        .filter(loss -> loss.getValue() > 0)
        .map(loss -> "%s %,d".formatted(name(loss.getKey()), loss.getValue()))
        .collect(Collectors.joining(", "));
  }

  static String name(CardLoss loss) {
    return loss.name().toLowerCase(Locale.ROOT);
  }

  String json() {
    return "{\"cards\": [%s], \"ended\": %s}%n"
        .formatted(cards.stream().map(CardReport::card).collect(Collectors.joining(", ")), ended);
  }

  private static String card(OfCard of) {
    CardCounters card = of.card();
    return "{\"card\": \"%s\", \"starts\": %d, \"ports\": [%s], \"rings\": [%s], \"pumps\": [%s], \"sources\": [%s], \"lost\": {%s}, \"clock_offset_ns\": %d, \"files\": [%s]}"
        .formatted(
            card.card(),
            card.starts(),
            each(card.ports(), CardReport::port),
            each(card.rings(), CardReport::ring),
            each(card.pumps(), CardReport::pump),
            each(card.sources(), CardReport::source),
            card.losses().entrySet().stream()
                .map(loss -> "\"" + name(loss.getKey()) + "\": " + loss.getValue())
                .collect(Collectors.joining(", ")),
            card.clockOffsetNs(),
            each(of.files(), CardReport::file));
  }

  private static <T> String each(List<T> all, Function<T, String> one) {
    return all.stream().map(one).collect(Collectors.joining(", "));
  }

  private static String port(PortCounters port) {
    return "{\"received\": %d, \"received_bytes\": %d, \"bad\": %d, \"filtered\": %d, \"overflowed\": %d, \"sent\": %d}"
        .formatted(
            port.receivedPackets(),
            port.receivedBytes(),
            port.badPackets(),
            port.filteredPackets(),
            port.overflowedPackets(),
            port.sentPackets());
  }

  private static String ring(CardRingCounters ring) {
    return "{\"offered\": %d, \"written\": %d, \"dropped\": %d}"
        .formatted(ring.offeredPackets(), ring.writtenPackets(), ring.droppedPackets());
  }

  private static String source(CardSourceCounters source) {
    return "{\"wanted\": %d, \"sent\": %d, \"sent_bytes\": %d, \"read_failed\": %s, \"cut_short\": %s}"
        .formatted(
            source.wantedPackets(),
            source.sentPackets(),
            source.sentBytes(),
            source.readFailed(),
            source.cutShort());
  }

  private static String pump(PumpCounters pump) {
    return "{\"packets\": %d, \"fetches\": %d, \"fetched_bytes\": %d, \"failed_fetches\": %d, \"repeated_fetches\": %d, \"damaged_slots\": %d, \"surplus\": %d, \"misplaced\": %d}"
        .formatted(
            pump.packets(),
            pump.fetches(),
            pump.fetchedBytes(),
            pump.failedFetches(),
            pump.repeatedFetches(),
            pump.damagedSlots(),
            pump.surplusPackets(),
            pump.misplacedRecords());
  }

  private static String file(RingCounters file) {
    return "{\"offered\": %d, \"written\": %d, \"dropped\": %d, \"lost_before_tap\": %d}"
        .formatted(
            file.offeredPackets(),
            file.writtenPackets(),
            file.droppedPackets(),
            file.lostBeforeTap());
  }
}
