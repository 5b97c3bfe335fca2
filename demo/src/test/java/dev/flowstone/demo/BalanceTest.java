// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingCounters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One packet that goes missing, anywhere, is found where it went missing. */
class BalanceTest {
  private static final TapCounters TAP =
      new TapCounters(100, 0, Map.of(), Map.of(), 100, 100, true);
  private static final List<RingCounters> RINGS = List.of(ring(60, 57, 3), ring(40, 40, 0));
  private static final DemoCounters.Source SOURCE = new DemoCounters.Source(97, 97, 3, 0);
  private static final DemoCounters.Batches BATCHES = new DemoCounters.Batches(97, 97, 5, 900);
  private static final DemoCounters.Kafka KAFKA = new DemoCounters.Kafka(5, 5);
  private static final DemoCounters.Consumer CONSUMER = new DemoCounters.Consumer(97, 3, 0);

  private static RingCounters ring(long offered, long written, long dropped) {
    return new RingCounters(offered, written, dropped, dropped, 0, 0, 0, 0, 0, 0, 0);
  }

  private static DemoCounters counters(
      TapCounters tap,
      List<RingCounters> rings,
      DemoCounters.Source source,
      DemoCounters.Batches batches,
      DemoCounters.Kafka kafka,
      DemoCounters.Consumer consumer,
      long restarts) {
    return new DemoCounters(
        tap, rings, List.of(0.0, 0.0), source, batches, kafka, consumer, restarts);
  }

  private static DemoCounters of(TapCounters tap) {
    return counters(tap, RINGS, SOURCE, BATCHES, KAFKA, CONSUMER, 0);
  }

  private static DemoCounters of(List<RingCounters> rings) {
    return counters(TAP, rings, SOURCE, BATCHES, KAFKA, CONSUMER, 0);
  }

  private static DemoCounters of(DemoCounters.Source source) {
    return counters(TAP, RINGS, source, BATCHES, KAFKA, CONSUMER, 0);
  }

  private static DemoCounters of(DemoCounters.Batches batches) {
    return counters(TAP, RINGS, SOURCE, batches, KAFKA, CONSUMER, 0);
  }

  private static DemoCounters of(DemoCounters.Kafka kafka) {
    return counters(TAP, RINGS, SOURCE, BATCHES, kafka, CONSUMER, 0);
  }

  private static DemoCounters of(DemoCounters.Consumer consumer) {
    return counters(TAP, RINGS, SOURCE, BATCHES, KAFKA, consumer, 0);
  }

  private static List<String> differences(DemoCounters counters) {
    return Balance.of(counters).differences().stream().map(Balance.Pair::toString).toList();
  }

  @Test
  void shouldBeRightWhenEveryPacketIsAccountedFor() {
    assertThat(differences(of(TAP))).isEmpty();
    assertThat(Balance.of(of(TAP)).isRight()).isTrue();
  }

  @Test
  void shouldNameThePlaceInTheTap() {
    assertThat(differences(of(new TapCounters(101, 0, Map.of(), Map.of(), 100, 100, true))))
        .containsExactly("packets from the tap's source 101, but parsed 100: 1 missing");
    assertThat(differences(of(new TapCounters(101, 0, Map.of(), Map.of(), 101, 100, true))))
        .containsExactly("parsed 101, but offered by the tap 100: 1 missing");
    assertThat(differences(of(new TapCounters(101, 0, Map.of(), Map.of(), 101, 101, true))))
        .containsExactly("offered by the tap 101, but offered to rings 100: 1 missing");
  }

  @Test
  void shouldNameTheRing() {
    assertThat(differences(of(List.of(ring(60, 56, 3), ring(40, 41, 0)))))
        .containsExactly(
            "offered to ring 0 60, but written + dropped there 59: 1 missing",
            "offered to ring 1 40, but written + dropped there 41: 1 too many");
  }

  @Test
  void shouldNameThePlaceInFlink() {
    assertThat(differences(of(new DemoCounters.Source(96, 96, 3, 0))))
        .containsExactly(
            "written to rings 97, but read by the source 96: 1 missing",
            "emitted by the source 96, but in blocks to be packed 97: 1 too many");
    assertThat(differences(of(new DemoCounters.Source(97, 96, 3, 0))))
        .contains("read by the source 97, but emitted by the source 96: 1 missing");
    assertThat(differences(of(new DemoCounters.Source(97, 97, 2, 0))))
        .contains("dropped by rings 3, but lost at the source 2: 1 missing");
    assertThat(differences(of(new DemoCounters.Batches(96, 96, 5, 900))))
        .contains("emitted by the source 97, but in blocks to be packed 96: 1 missing");
    assertThat(differences(of(new DemoCounters.Batches(97, 96, 5, 900))))
        .contains("in blocks to be packed 97, but in messages 96: 1 missing");
  }

  @Test
  void shouldNameThePlaceInKafka() {
    assertThat(differences(of(new DemoCounters.Kafka(4, 4))))
        .containsExactly("messages packed 5, but messages given to Kafka 4: 1 missing");
    assertThat(differences(of(new DemoCounters.Kafka(5, 6))))
        .containsExactly("messages given to Kafka 5, but messages read back 6: 1 too many");
    assertThat(differences(of(new DemoCounters.Consumer(96, 3, 0))))
        .containsExactly(
            "in messages 97, but read back from Kafka 96: 1 missing",
            "offered to rings 100, but consumed + lost at the consumer 99: 1 missing");
    assertThat(differences(of(new DemoCounters.Consumer(97, 2, 0))))
        .contains("lost at the source 3, but lost at the consumer 2: 1 missing");
  }

  /** These were never offered, so no other pair can miss them. */
  @Test
  void shouldNameALossBeforeTheTapThatNobodyWasTold() {
    TapCounters tap = new TapCounters(100, 7, Map.of(), Map.of(), 100, 100, true);
    DemoCounters.Consumer told = new DemoCounters.Consumer(97, 3, 7);
    assertThat(differences(counters(tap, RINGS, SOURCE, BATCHES, KAFKA, told, 0))).isEmpty();
    assertThat(differences(of(tap)))
        .containsExactly("lost before the tap 7, but told as such at the consumer 0: 7 missing");
    assertThat(differences(of(told)))
        .containsExactly("lost before the tap 0, but told as such at the consumer 7: 7 too many");
  }

  @Test
  void shouldNotCompareFlinkAfterARestartButBothEnds() {
    DemoCounters.Source again = new DemoCounters.Source(20, 20, 0, 0);
    assertThat(differences(counters(TAP, RINGS, again, BATCHES, KAFKA, CONSUMER, 1))).isEmpty();
    DemoCounters.Consumer less = new DemoCounters.Consumer(96, 3, 0);
    assertThat(differences(counters(TAP, RINGS, again, BATCHES, KAFKA, less, 1)))
        .containsExactly("offered to rings 100, but consumed + lost at the consumer 99: 1 missing");
  }
}
