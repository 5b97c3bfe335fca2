// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.tap.card.CardCounters;
import dev.flowstone.tap.card.CardRingCounters;
import dev.flowstone.tap.card.CardSourceCounters;
import dev.flowstone.tap.card.PortCounters;
import dev.flowstone.tap.card.PumpCounters;
import dev.flowstone.tap.command.run.RingExposition;
import dev.flowstone.tap.metrics.Exposition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The counters of cards and their rings as Prometheus' metrics. */
final class CardMetrics {
  private static final double SECOND_NS = 1e9;

  private final Exposition text = new Exposition();
  private final RunningCards running;
  private final List<CardCounters> cards;

  private CardMetrics(RunningCards running) {
    this.running = running;
    cards = running.all().stream().map(RunningCard::counters).toList();
  }

  static String text(RunningCards running) {
    // Files first: they are the last stage, and none may seem to be ahead of the one before.
    List<RingFile> files = new ArrayList<>();
    List<List<String>> labels = new ArrayList<>();
    for (RunningCard card : running.all()) {
      for (RingFile file : card.files()) {
        labels.add(List.of("card", card.card().name(), "ring", "" + file.identity().ring()));
        files.add(file);
      }
    }
    List<RingCounters> rings = files.stream().map(RingFile::counters).toList();
    CardMetrics metrics = new CardMetrics(running);
    metrics.up();
    metrics.rules();
    metrics.cards();
    metrics.ports();
    metrics.rings();
    metrics.pumps();
    metrics.sources();
    RingExposition.add(metrics.text, rings, files, labels);
    return metrics.text.toString();
  }

  private void up() {
    text.gauge(
        "flowstone_card_up",
        "1 while packets are taken from the card, 0 when it failed or could not be opened.");
    running.all().forEach(card -> text.sample(card.isUp() ? 1 : 0, "card", card.card().name()));
    running.shut().forEach(name -> text.sample(0, "card", name));
  }

  private void rules() {
    text.gauge(
        "flowstone_card_rules", "Rules by what asks them: cards the first ones, jobs the others.");
    text.sample(running.rules().onCard(), "place", "card");
    text.sample(running.rules().leftToJobs(), "place", "job");
  }

  private void cards() {
    text.counter("flowstone_card_starts_total", "Starts of the card's kernels by this tap.");
    cards.forEach(card -> text.sample(card.starts(), "card", card.card()));
    text.counter(
        "flowstone_card_lost_packets_total",
        "Packets that came to the card and are in no ring file, told as lost before the tap.");
    for (CardCounters card : cards) {
      card.losses()
          .forEach(
              (cause, count) ->
                  text.sample(count, "card", card.card(), "cause", CardReport.name(cause)));
    }
    text.gauge(
        "flowstone_card_clock_offset_seconds", "How far the card's clock is ahead of the host's.");
    cards.forEach(card -> text.sample(card.clockOffsetNs() / SECOND_NS, "card", card.card()));
  }

  private void ports() {
    port("received_packets", "Frames that came in whole and well.", PortCounters::receivedPackets);
    port("received_bytes", "Their bytes.", PortCounters::receivedBytes);
    port(
        "bad_packets",
        "Frames that the MAC called damaged; AMD's calls none so.",
        PortCounters::badPackets);
    port("filtered_packets", "Packets that a rule dropped.", PortCounters::filteredPackets);
    port(
        "overflowed_packets",
        "Packets lost because the way to the card's rings was full.",
        PortCounters::overflowedPackets);
    port("sent_packets", "Records sent to the card's rings.", PortCounters::sentPackets);
  }

  private void port(String what, String help, ToLongFunction<PortCounters> counter) {
    each("port", what, help, CardCounters::ports, counter);
  }

  private void rings() {
    ring("offered_packets", "Packets that met the card's ring.", CardRingCounters::offeredPackets);
    ring("written_packets", "Packets that have a slot in it.", CardRingCounters::writtenPackets);
    ring("dropped_packets", "Packets that found it full.", CardRingCounters::droppedPackets);
  }

  private void ring(String what, String help, ToLongFunction<CardRingCounters> counter) {
    each("ring", what, help, CardCounters::rings, counter);
  }

  private void pumps() {
    pump("packets", "Packets that went on to the ring file.", PumpCounters::packets);
    pump("fetches", "Copies from the card's memory.", PumpCounters::fetches);
    pump("fetched_bytes", "Bytes in these.", PumpCounters::fetchedBytes);
    pump("failed_fetches", "Copies that failed and were tried again.", PumpCounters::failedFetches);
    pump(
        "repeated_fetches",
        "Slots that were not yet what the card's head said.",
        PumpCounters::repeatedFetches);
    pump("damaged_slots", "Slots that stayed wrong.", PumpCounters::damagedSlots);
    pump(
        "surplus_packets",
        "Packets that the card gave once more than it counted.",
        PumpCounters::surplusPackets);
    pump(
        "misplaced_records",
        "Records, among those looked at, that belong to another ring.",
        PumpCounters::misplacedRecords);
  }

  private void pump(String what, String help, ToLongFunction<PumpCounters> counter) {
    each("pump", what, help, CardCounters::pumps, counter);
  }

  private void sources() {
    source("sent_packets", "Frames of captures sent to the port.", CardSourceCounters::sentPackets);
    source("sent_bytes", "Their bytes.", CardSourceCounters::sentBytes);
    source(
        "failed_reads",
        "Reads that the card's memory refused; after one nothing more is sent.",
        source -> source.readFailed() ? 1 : 0);
    source(
        "cut_blocks",
        "Blocks whose middle was the end of the memory; after one nothing more is sent.",
        source -> source.cutShort() ? 1 : 0);
  }

  private void source(String what, String help, ToLongFunction<CardSourceCounters> counter) {
    each("source", what, help, CardCounters::sources, counter);
  }

  private <T> void each(
      String place,
      String what,
      String help,
      Function<CardCounters, List<T>> all,
      ToLongFunction<T> counter) {
    text.counter("flowstone_card_" + place + "_" + what + "_total", help);
    String label = place.equals("ring") || place.equals("pump") ? "ring" : "port";
    for (CardCounters card : cards) {
      List<T> each = all.apply(card);
      for (int number = 0; number < each.size(); number++) {
        text.sample(counter.applyAsLong(each.get(number)), "card", card.card(), label, "" + number);
      }
    }
  }
}
