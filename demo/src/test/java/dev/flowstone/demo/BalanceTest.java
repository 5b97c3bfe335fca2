// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.demo.FunctionCounters.Function;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.operators.ruled.FunctionKind;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** One packet that goes missing, anywhere, is found where it went missing. */
class BalanceTest {
  private static final TapCounters TAP =
      new TapCounters.Software(100, 0, Map.of(), Map.of(), 100, 100, true);
  private static final List<RingCounters> RINGS = List.of(ring(60, 57, 3), ring(40, 40, 0));
  private static final DemoCounters.Source SOURCE = new DemoCounters.Source(97, 97, 3, 0);
  private static final Function CHOSEN =
      function(FunctionKind.PASS, "pass, sample", 60, 60, OptionalLong.of(50), 10);
  private static final Function RECORDS =
      function(FunctionKind.AGGREGATE, "flow records", 20, 20, OptionalLong.of(19), 1);
  private static final Function HISTOGRAMS =
      function(FunctionKind.HISTOGRAM, "histograms", 8, 8, OptionalLong.empty(), 0);
  private static final Function DETECTORS =
      function(FunctionKind.ANOMALY, "detectors", 5, 5, OptionalLong.empty(), 0);
  private static final Map<String, Long> OF_RULE =
      Map.of("drop", 4L, "sample", 20L, "default", 40L, "records", 20L, "gaps", 8L, "syns", 5L);
  private static final FunctionCounters FUNCTIONS =
      functions(97, 4, OF_RULE, CHOSEN, RECORDS, HISTOGRAMS, DETECTORS);
  private static final DemoCounters.Batches BATCHES = new DemoCounters.Batches(50, 50, 5, 900);
  private static final DemoCounters.Kafka KAFKA = new DemoCounters.Kafka(5, 5);
  private static final DemoCounters.Consumer CONSUMER = new DemoCounters.Consumer(50, 3, 0);
  private static final ResultCounters RESULTS = results(12, 12, 19, 12, 12);

  private static RingCounters ring(long offered, long written, long dropped) {
    return new RingCounters(offered, written, dropped, dropped, 0, 0, 0, 0, 0, 0, 0);
  }

  private static Function function(
      FunctionKind kind, String name, long sent, long in, OptionalLong out, long leftOut) {
    return new Function(kind, name, sent, in, out, leftOut, "left out");
  }

  private static FunctionCounters functions(
      long in, long dropped, Map<String, Long> ofRule, Function... functions) {
    return new FunctionCounters(
        in, dropped, ofRule, List.of(functions), new FunctionCounters.RulesState(1, 0));
  }

  private static ResultCounters results(
      long sent, long back, long inRecords, long toQuestDb, long inQuestDb) {
    return new ResultCounters(
        sent, Map.of(), back, inRecords, OptionalLong.of(toQuestDb), inQuestDb);
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
        tap,
        rings,
        List.of(0.0, 0.0),
        source,
        FUNCTIONS,
        batches,
        kafka,
        consumer,
        RESULTS,
        restarts);
  }

  private static DemoCounters of(FunctionCounters functions, ResultCounters results) {
    return new DemoCounters(
        TAP, RINGS, List.of(0.0, 0.0), SOURCE, functions, BATCHES, KAFKA, CONSUMER, results, 0);
  }

  private static DemoCounters of(Function... functions) {
    return of(functions(97, 4, OF_RULE, functions), RESULTS);
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
    assertThat(
            differences(of(new TapCounters.Software(101, 0, Map.of(), Map.of(), 100, 100, true))))
        .containsExactly("packets from the tap's source 101, but parsed 100: 1 missing");
    assertThat(
            differences(of(new TapCounters.Software(101, 0, Map.of(), Map.of(), 101, 100, true))))
        .containsExactly("parsed 101, but offered by the tap 100: 1 missing");
    assertThat(
            differences(of(new TapCounters.Software(101, 0, Map.of(), Map.of(), 101, 101, true))))
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
            "emitted by the source 96, but given a rule 97: 1 too many");
    assertThat(differences(of(new DemoCounters.Source(97, 96, 3, 0))))
        .contains("read by the source 97, but emitted by the source 96: 1 missing");
    assertThat(differences(of(new DemoCounters.Source(97, 97, 2, 0))))
        .contains("dropped by rings 3, but lost at the source 2: 1 missing");
    assertThat(differences(of(new DemoCounters.Batches(49, 49, 5, 900))))
        .contains("passed or sampled 50, but in blocks to be packed 49: 1 missing");
    assertThat(differences(of(new DemoCounters.Batches(50, 49, 5, 900))))
        .contains("in blocks to be packed 50, but in messages 49: 1 missing");
  }

  @Test
  void shouldNameThePlaceInKafka() {
    assertThat(differences(of(new DemoCounters.Kafka(4, 4))))
        .containsExactly("messages packed 5, but messages given to Kafka 4: 1 missing");
    assertThat(differences(of(new DemoCounters.Kafka(5, 6))))
        .containsExactly("messages given to Kafka 5, but messages read back 6: 1 too many");
    assertThat(differences(of(new DemoCounters.Consumer(49, 3, 0))))
        .containsExactly(
            "in messages 50, but read back from Kafka 49: 1 missing",
            "offered to rings 100, but consumed + lost at the consumer + not passed by rules 99: 1 missing");
    assertThat(differences(of(new DemoCounters.Consumer(50, 2, 0))))
        .contains("lost at the source 3, but lost at the consumer 2: 1 missing");
  }

  /** These were never offered, so no other pair can miss them. */
  @Test
  void shouldNameALossBeforeTheTapThatNobodyWasTold() {
    TapCounters tap = new TapCounters.Software(100, 7, Map.of(), Map.of(), 100, 100, true);
    DemoCounters.Consumer told = new DemoCounters.Consumer(50, 3, 7);
    assertThat(differences(counters(tap, RINGS, SOURCE, BATCHES, KAFKA, told, 0))).isEmpty();
    assertThat(differences(of(tap)))
        .containsExactly("lost before the tap 7, but told as such at the consumer 0: 7 missing");
    assertThat(differences(of(told)))
        .containsExactly("lost before the tap 0, but told as such at the consumer 7: 7 too many");
  }

  @Test
  void shouldNameThePlaceInTheRules() {
    assertThat(
            differences(
                of(functions(96, 4, OF_RULE, CHOSEN, RECORDS, HISTOGRAMS, DETECTORS), RESULTS)))
        .containsExactly(
            "emitted by the source 97, but given a rule 96: 1 missing",
            "given a rule 96, but counted by rule 97: 1 too many",
            "given a rule 96, but sent to functions + dropped by rule 97: 1 too many");
    assertThat(
            differences(
                of(functions(97, 3, OF_RULE, CHOSEN, RECORDS, HISTOGRAMS, DETECTORS), RESULTS)))
        .containsExactly(
            "given a rule 97, but sent to functions + dropped by rule 96: 1 missing",
            "offered to rings 100, but consumed + lost at the consumer + not passed by rules 99: 1 missing");
  }

  @Test
  void shouldNameTheFunction() {
    String inAll =
        "offered to rings 100, but consumed + lost at the consumer + not passed by rules 99: 1 missing";
    assertThat(
            differences(
                of(
                    function(FunctionKind.PASS, "pass, sample", 60, 59, OptionalLong.of(50), 9),
                    RECORDS,
                    HISTOGRAMS,
                    DETECTORS)))
        .containsExactly("sent to pass, sample 60, but received there 59: 1 missing", inAll);
    assertThat(
            differences(
                of(
                    function(FunctionKind.PASS, "pass, sample", 60, 60, OptionalLong.of(50), 9),
                    RECORDS,
                    HISTOGRAMS,
                    DETECTORS)))
        .containsExactly("received by pass, sample 60, but out + left out 59: 1 missing", inAll);
    assertThat(
            differences(
                of(
                    CHOSEN,
                    function(FunctionKind.AGGREGATE, "records", 20, 19, OptionalLong.of(19), 0),
                    HISTOGRAMS,
                    DETECTORS)))
        .containsExactly("sent to records 20, but received there 19: 1 missing", inAll);
    assertThat(
            differences(
                of(
                    CHOSEN,
                    RECORDS,
                    function(FunctionKind.HISTOGRAM, "gaps", 8, 7, OptionalLong.empty(), 0),
                    DETECTORS)))
        .containsExactly("sent to gaps 8, but received there 7: 1 missing", inAll);
    assertThat(
            differences(
                of(
                    CHOSEN,
                    RECORDS,
                    HISTOGRAMS,
                    function(FunctionKind.ANOMALY, "detectors", 5, 4, OptionalLong.empty(), 0))))
        .containsExactly("sent to detectors 5, but received there 4: 1 missing", inAll);
  }

  @Test
  void shouldNameWhereResultsGoMissing() {
    assertThat(differences(of(FUNCTIONS, results(12, 11, 19, 12, 12))))
        .containsExactly("results given to Kafka 12, but results read back 11: 1 missing");
    assertThat(differences(of(FUNCTIONS, results(12, 12, 18, 12, 12))))
        .containsExactly("in flow records 19, but in flow records read back 18: 1 missing");
    assertThat(differences(of(FUNCTIONS, results(12, 12, 19, 11, 11))))
        .containsExactly("results given to Kafka 12, but results for QuestDB 11: 1 missing");
    assertThat(differences(of(FUNCTIONS, results(12, 12, 19, 12, 11))))
        .containsExactly("results for QuestDB 12, but taken by it 11: 1 missing");
  }

  /** All that went to functions was counted by operators that began anew. */
  @Test
  void shouldNotCompareWhatFlinkCountedBeforeARestart() {
    DemoCounters.Source again = new DemoCounters.Source(20, 20, 0, 0);
    assertThat(differences(counters(TAP, RINGS, again, BATCHES, KAFKA, CONSUMER, 1))).isEmpty();
    List<RingCounters> astray = List.of(ring(60, 56, 3), ring(40, 40, 0));
    assertThat(differences(counters(TAP, astray, again, BATCHES, KAFKA, CONSUMER, 1)))
        .as("rings have counted on")
        .containsExactly("offered to ring 0 60, but written + dropped there 59: 1 missing");
  }
}
