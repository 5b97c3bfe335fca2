// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import static dev.flowstone.inspect.traffic.TestRecords.ACK;
import static dev.flowstone.inspect.traffic.TestRecords.SYN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.flowstone.inspect.count.InspectException;
import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.flow.FlowSummary;
import dev.flowstone.inspect.flow.Gaps;
import dev.flowstone.inspect.flow.UnsortedFlow;
import dev.flowstone.model.abi.OtherReason;
import org.junit.jupiter.api.Test;

final class TrafficCounterTest {
  private static final long SECOND_NS = 1_000_000_000;

  @Test
  void shouldJoinBothDirectionsOfAFlow() {
    TrafficSummary summary =
        new TestRecords()
            .tcp(100, 2, 5000, 1, 80, SYN)
            .tcp(130, 1, 80, 2, 5000, SYN | ACK)
            .tcp(140, 2, 5000, 1, 80, ACK)
            .summary();

    assertThat(summary.directionalFlows()).isEqualTo(2);
    assertThat(summary.bidirectionalFlows()).isEqualTo(1);
    FlowSummary both = summary.topBidirectional().getFirst();
    assertThat(both.source()).isEqualTo("10.0.0.1");
    assertThat(both.sourcePort()).isEqualTo(80);
    assertThat(both.packets()).isEqualTo(3);
    assertThat(both.bytes()).isEqualTo(180);
    assertThat(both.gaps()).isEqualTo(new Gaps(2, 10L, 30L));
    FlowSummary larger = summary.topDirectional().getFirst();
    assertThat(larger.source()).isEqualTo("10.0.0.2");
    assertThat(larger.gaps()).isEqualTo(new Gaps(1, 40L, 40L));
    assertThat(summary.synWithoutAck()).isEqualTo(1);
    assertThat(summary.synWithAck()).isEqualTo(1);
  }

  @Test
  void shouldKeepNegativeGapsInFileOrderAndAskForASort() {
    TrafficSummary summary =
        new TestRecords()
            .tcp(50, 1, 1, 2, 2, ACK)
            .tcp(20, 1, 1, 2, 2, ACK)
            .tcp(60, 1, 1, 2, 2, ACK)
            .summary();
    FlowSummary flow = summary.topDirectional().getFirst();

    assertThat(flow.gaps()).isEqualTo(new Gaps(2, -30L, 40L));
    assertThat(flow.negativeGaps()).isEqualTo(1);
    assertThat(flow.firstNs()).isEqualTo(50);
    assertThat(flow.lastNs()).isEqualTo(60);
    assertThat(flow.gapsByTime()).isNull();
    assertThat(summary.unsortedFlows())
        .extracting(UnsortedFlow::timedPackets)
        .as("by direction and as a conversation")
        .containsExactly(3L, 3L);
  }

  @Test
  void shouldAskForASortWherePacketsWithoutTimeHideAGap() {
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    new TestRecords().tcp(10, 1, 1, 2, 2, ACK).addTo(counter);
    new TestRecords().tcp(0, 1, 1, 2, 2, ACK).addUntimedTo(counter);
    new TestRecords().tcp(30, 1, 1, 2, 2, ACK).addTo(counter);

    assertThat(counter.summary().unsortedFlows())
        .extracting(UnsortedFlow::timedPackets)
        .containsExactly(2L, 2L);
  }

  @Test
  void shouldNotAskForASortOfFlowsInTheOrderOfTime() {
    TrafficSummary summary =
        new TestRecords()
            .tcp(20, 1, 1, 2, 2, ACK)
            .tcp(20, 1, 1, 2, 2, ACK)
            .tcp(60, 1, 1, 2, 2, ACK)
            .summary();

    assertThat(summary.unsortedFlows()).isEmpty();
    assertThat(summary.topDirectional().getFirst().gapsByTime()).isEqualTo(new Gaps(2, 0L, 40L));
  }

  @Test
  void shouldCountBothDirectionsTowardsTheLimitOfFlows() {
    TrafficCounter counter = new TrafficCounter(new InspectLimits(2, 0, 0));
    new TestRecords().tcp(0, 1, 1, 2, 2, ACK).tcp(1, 2, 2, 1, 1, ACK).addTo(counter);

    assertThatThrownBy(() -> new TestRecords().tcp(2, 3, 3, 4, 4, ACK).addTo(counter))
        .isInstanceOf(InspectException.class)
        .hasMessageContaining("too many flows")
        .hasMessageContaining("at least 3, room for 2");
  }

  @Test
  void shouldTellTimeZeroFromNoTime() {
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    new TestRecords().tcp(0, 1, 1, 2, 2, ACK).addTo(counter);
    new TestRecords().tcp(0, 1, 1, 2, 2, SYN).addUntimedTo(counter);

    TrafficSummary summary = counter.summary();
    FlowSummary flow = summary.topDirectional().getFirst();
    assertThat(flow.firstNs()).isZero();
    assertThat(flow.lastNs()).isNull();
    assertThat(flow.gaps()).isEqualTo(Gaps.NONE);
    assertThat(summary.synWithoutAck()).isEqualTo(1);
    assertThat(summary.syns().windows()).as("a SYN without time is in no window").isZero();
    assertThat(summary.times()).isEqualTo(new TimeRange(0, 0));
  }

  @Test
  void shouldNameClassesAndTheirNumbers() {
    TrafficSummary summary =
        new TestRecords()
            .tcp(0, 1, 1, 2, 2, ACK)
            .other(OtherReason.NOT_IP, 0x0806, 42)
            .other(OtherReason.LINK_TYPE, 253, 10)
            .other(OtherReason.ERF_TYPE, 21, 10)
            .other(OtherReason.MPLS_NOT_IP, 0, 10)
            .other(OtherReason.MPLS_NOT_IP, 0, 10)
            .summary();

    assertThat(summary.classes())
        .containsExactly(
            entry("ipv4", 1L),
            entry("link-253", 1L),
            entry("link-erf21", 1L),
            entry("mpls-nonip", 2L),
            entry("nonip", 1L));
    assertThat(summary.packets()).isEqualTo(6);
    assertThat(summary.bytesWire()).isEqualTo(60 + 42 + 40);
    assertThat(summary.bidirectionalFlows()).isEqualTo(1);
  }

  @Test
  void shouldAddUpThePortsOfADestination() {
    TestRecords records = new TestRecords();
    for (int source = 0; source < 11; source++) {
      records.tcp(1, 100 + source, 1, 1, 80, SYN);
    }
    SynReport report = records.tcp(2, 200, 1, 1, 443, SYN).summary().syns();

    assertThat(report.largest()).isEqualTo(12);
    assertThat(report.windows()).isEqualTo(1);
    assertThat(report.overByDestination()).extracting(SynCount::count).containsExactly(12L);
    assertThat(report.overByPort()).extracting(SynCount::port).containsExactly(80);
    assertThat(report.overByPort()).extracting(SynCount::count).containsExactly(11L);
  }

  @Test
  void shouldReportElevenSynsButNotTen() {
    TestRecords records = new TestRecords();
    for (int i = 0; i < 10; i++) {
      records.tcp(i, 9, i, 1, 80, SYN);
      records.tcp(i, 9, i, 2, 80, SYN);
    }
    SynReport report = records.tcp(10, 9, 10, 2, 80, SYN).summary().syns();

    assertThat(report.withExactly10()).isEqualTo(1);
    assertThat(report.withExactly11()).isEqualTo(1);
    assertThat(report.overByDestination())
        .extracting(SynCount::address)
        .containsExactly("10.0.0.2");
  }

  @Test
  void shouldEndAWindowBeforeItsLastNanosecondPlusOne() {
    SynReport report =
        new TestRecords()
            .tcp(5 * SECOND_NS - 1, 9, 1, 1, 80, SYN)
            .tcp(5 * SECOND_NS, 9, 2, 1, 80, SYN)
            .summary()
            .syns();

    assertThat(report.windows()).isEqualTo(2);
    TestRecords early = new TestRecords();
    for (int source = 0; source < 11; source++) {
      early.tcp(-1, source, 1, 1, 80, SYN);
    }
    assertThat(early.summary().syns().overByDestination())
        .extracting(SynCount::windowStartNs)
        .containsExactly(-5 * SECOND_NS);
  }

  @Test
  void shouldGrowBeyondItsFirstTable() {
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    for (int host = 0; host < 1000; host++) {
      new TestRecords()
          .tcp(0, host, 1, 5000, 80, SYN)
          .tcp(1, 5000, 80, host, 1, ACK)
          .addTo(counter);
    }

    TrafficSummary summary = counter.summary();
    assertThat(summary.bidirectionalFlows()).isEqualTo(1000);
    assertThat(summary.directionalFlows()).isEqualTo(2000);
    assertThat(summary.syns().largest()).isEqualTo(1000);
  }
}
