// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.inspect.flow.FlowSummary;
import dev.flowstone.inspect.flow.Gaps;
import dev.flowstone.inspect.traffic.SynCount;
import dev.flowstone.inspect.traffic.SynReport;
import dev.flowstone.inspect.traffic.TimeRange;
import dev.flowstone.inspect.traffic.TrafficSummary;
import dev.flowstone.raw.MalformedNote;
import dev.flowstone.raw.MalformedReason;
import dev.flowstone.raw.SourceCounters;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TextReportTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final TimeRange NO_TIMES = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);
  private static final SynReport NO_SYNS = new SynReport(0, 0, 0, 0, List.of(), List.of());
  private static final TrafficSummary NOTHING = nothingBut(NO_SYNS);

  private static TrafficSummary nothingBut(SynReport syns) {
    return new TrafficSummary(
        0, 0, 0, NO_TIMES, new TreeMap<>(), 0, 0, List.of(), List.of(), 0, 0, syns);
  }

  private static TrafficSummary summary(
      long packets,
      long saturatedLengths,
      TimeRange times,
      SortedMap<String, Long> classes,
      List<FlowSummary> directional,
      List<FlowSummary> bidirectional) {
    return new TrafficSummary(
        packets,
        1_000 * packets,
        saturatedLengths,
        times,
        classes,
        directional.size(),
        bidirectional.size(),
        directional,
        bidirectional,
        7,
        5,
        NO_SYNS);
  }

  private static String text(TrafficSummary summary, MalformedNote... notes) {
    SourceCounters source =
        new SourceCounters(summary.packets(), 0, 0, 0, 0, Map.of(), List.of(notes));
    return new TextReport().text(new Inspection.Answer("a.pcap", summary, source));
  }

  private static FlowSummary flow(
      String source, String destination, int protocol, int port, Gaps gaps) {
    return new FlowSummary(
        source, destination, protocol, port, port, 1_234, 5_678, 0L, 0L, gaps, 2, gaps, null);
  }

  @Test
  void shouldShowAnAnswerLineByLine() {
    Gaps gaps = new Gaps(3, -5L, 1_500_000L);
    FlowSummary flow = flow("10.0.0.1", "10.0.0.2", 6, 443, gaps);
    TrafficSummary summary =
        summary(
            2_468,
            0,
            new TimeRange(0, 90 * SECOND_NS + 1),
            new TreeMap<>(Map.of("TCP", 1_234L, "UDP", 1_234L)),
            List.of(flow),
            List.of(flow));
    assertThat(text(summary))
        .isEqualTo(
            """
            a.pcap
              packets     2,468, 2,468,000 bytes on the wire
              time (UTC)  1970-01-01 00:00:00.000000000 to 1970-01-01 00:01:30.000000001 (90.000 s)
              classes     TCP 1,234 (50.0%), UDP 1,234 (50.0%)
              flows       1 by direction, 1 conversation
              TCP SYN     7 without ACK, 5 with ACK

              Top talkers, by direction
                source        destination   protocol  packets  share  bytes  gap min   gap max  gaps < 0
                10.0.0.1:443  10.0.0.2:443  TCP         1,234  50.0%  5,678    -5 ns  1.500 ms         2

              Top conversations, both directions
                source        destination   protocol  packets  share  bytes  gap min   gap max  gaps < 0
                10.0.0.1:443  10.0.0.2:443  TCP         1,234  50.0%  5,678    -5 ns  1.500 ms         2
            """);
  }

  @Test
  void shouldShowACaptureWithoutPackets() {
    assertThat(text(NOTHING))
        .contains("time (UTC)  none recorded", "classes     none", "0 conversations")
        .doesNotContain("Top talkers", "More than");
  }

  @Test
  void shouldReportTruncatedLengthsAndDamage() {
    TrafficSummary summary = summary(9, 3, NO_TIMES, new TreeMap<>(), List.of(), List.of());
    MalformedReason reason = MalformedReason.CUT_SHORT;
    assertThat(text(summary, new MalformedNote(reason, Path.of("a.pcap"), 4_711)))
        .contains("3 frames longer than a record can say; the bytes are a lower bound")
        .contains("damaged     " + reason.text() + " at byte 4711");
  }

  @Test
  void shouldBracketIpv6AddressesAndOmitPort0() {
    TrafficSummary summary =
        summary(
            1,
            0,
            NO_TIMES,
            new TreeMap<>(),
            List.of(
                flow("2001:db8::1", "2001:db8::2", 17, 53, Gaps.NONE),
                flow("2001:db8::1", "2001:db8::2", 58, 0, Gaps.NONE),
                flow("10.0.0.1", "10.0.0.2", 99, 0, Gaps.NONE)),
            List.of());
    assertThat(text(summary))
        .containsPattern("\\[2001:db8::1]:53 +\\[2001:db8::2]:53 +UDP .* - +- +2\n")
        .containsPattern(" 2001:db8::1 +2001:db8::2 +ICMPv6 ")
        .containsPattern(" 10\\.0\\.0\\.1 +10\\.0\\.0\\.2 +99 ");
  }

  @Test
  void shouldShowTenSynWindowsAndTheNumberOfTheOthers() {
    List<SynCount> windows =
        IntStream.rangeClosed(1, 12)
            .mapToObj(i -> new SynCount(5 * SECOND_NS * i, 0, 0x0a000000L + i, true, -1, 100L * i))
            .toList();
    SynReport syns = new SynReport(40, 1_200, 0, 0, windows, List.of());
    assertThat(text(nothingBut(syns)))
        .contains("More than 10 SYNs to one address in 5 s: 12 of 40 windows\n")
        .contains("1970-01-01 00:00:05  10.0.0.1       100\n", "10.0.0.10    1,000\n")
        .doesNotContain("10.0.0.11")
        .endsWith("and 2 more; --json lists them all\n");
    assertThat(text(nothingBut(new SynReport(40, 900, 0, 0, windows.subList(0, 10), List.of()))))
        .doesNotContain("more; --json");
  }

  @Test
  void shouldNameTheFileOfAFailureOnce() {
    assertThat(new TextReport().text(new Inspection.Failure("a.pcap", "a.pcap: no such file")))
        .isEqualTo("a.pcap: no such file");
    assertThat(new TextReport().text(new Inspection.Failure("a.pcap", "no such file")))
        .isEqualTo("a.pcap: no such file");
  }

  @Test
  void shouldEscapeControlCharactersOfAFile() {
    Inspection failure = new Inspection.Failure("a\u001bc.pcap", "no capture\u0007");
    assertThat(new TextReport().text(failure)).isEqualTo("a\\u001bc.pcap: no capture\\u0007");
  }
}
