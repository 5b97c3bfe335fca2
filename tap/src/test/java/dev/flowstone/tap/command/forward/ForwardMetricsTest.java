// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.tap.datagram.Refusal;
import dev.flowstone.tap.forward.ForwardCounters;
import dev.flowstone.tap.receive.LossCause;
import dev.flowstone.tap.receive.ReceiveCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every number another one, so that none can stand in another's place. */
class ForwardMetricsTest {
  private static final Pattern FAMILY = Pattern.compile("(?m)^# TYPE (\\S+)");
  private static final Pattern DESCRIBED =
      Pattern.compile("`(flowstone_(?:forward|receive)_\\w+)`");

  private static final ForwardCounters SENT =
      new ForwardCounters(List.of(new ForwardCounters.OfRing(1, 2, 3, 4, 5, 6, 7)), 8, 9, 10, 11);

  private static ReceiveCounters received() {
    long number = 100;
    Map<Refusal, Long> refused = new EnumMap<>(Refusal.class);
    for (Refusal reason : Refusal.values()) {
      refused.put(reason, number++);
    }
    number = 200;
    Map<LossCause, Long> lost = new EnumMap<>(LossCause.class);
    for (LossCause cause : LossCause.values()) {
      lost.put(cause, number++);
    }
    return new ReceiveCounters(
        1, 2, refused, 3, List.of(new ReceiveCounters.OfRing(4, 5, lost, 6, 7, 8, 9)));
  }

  private static ReceiveReport report() {
    return new ReceiveReport(
        received(), List.of(new RingCounters(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)), false);
  }

  private static List<String> samples(String text) {
    return text.lines().filter(line -> !line.startsWith("#")).toList();
  }

  @Test
  void shouldTellEachCounterOfASender() {
    assertThat(samples(ForwardMetrics.text("192.0.2.7:9401", "forward", SENT)))
        .containsExactly(
            "flowstone_forward_info{to=\"192.0.2.7:9401\",reader=\"forward\"} 1",
            "flowstone_forward_read_packets_total{ring=\"0\"} 1",
            "flowstone_forward_sent_packets_total{ring=\"0\"} 2",
            "flowstone_forward_unsent_packets_total{ring=\"0\"} 3",
            "flowstone_forward_lost_packets_total{ring=\"0\",cause=\"ring\"} 4",
            "flowstone_forward_lost_packets_total{ring=\"0\",cause=\"before_tap\"} 5",
            "flowstone_forward_before_start_packets_total{ring=\"0\"} 6",
            "flowstone_forward_backlog_slots{ring=\"0\"} 7",
            "flowstone_forward_datagrams_total 8",
            "flowstone_forward_bytes_total 9",
            "flowstone_forward_unsent_datagrams_total 10",
            "flowstone_forward_unreachable_total 11");
  }

  @Test
  void shouldTellEachCounterOfAReceiver() {
    assertThat(samples(ReceiveMetrics.text("0.0.0.0:9401", 99, report(), List.of())))
        .startsWith(
            "flowstone_receive_info{listen=\"0.0.0.0:9401\"} 1",
            "flowstone_receive_socket_buffer_bytes 99",
            "flowstone_receive_datagrams_total 1",
            "flowstone_receive_bytes_total 2")
        .contains(
            "flowstone_receive_refused_datagrams_total{reason=\"too_short\"} 100",
            "flowstone_receive_refused_datagrams_total{reason=\"late\"} 111",
            "flowstone_receive_waiting_datagrams 7",
            "flowstone_receive_runs_total 3",
            "flowstone_receive_packets_total{ring=\"0\"} 4",
            "flowstone_receive_repeated_packets_total{ring=\"0\"} 5",
            "flowstone_receive_lost_packets_total{ring=\"0\",cause=\"before_tap\"} 200",
            "flowstone_receive_lost_packets_total{ring=\"0\",cause=\"ring\"} 201",
            "flowstone_receive_lost_packets_total{ring=\"0\",cause=\"network\"} 202",
            "flowstone_receive_lost_packets_total{ring=\"0\",cause=\"away\"} 203",
            "flowstone_receive_missing_datagrams_total{ring=\"0\"} 6",
            "flowstone_receive_before_start_packets_total{ring=\"0\"} 8",
            "flowstone_receive_missed_unknown_total{ring=\"0\"} 9",
            "flowstone_ring_offered_packets_total{ring=\"0\"} 10",
            "flowstone_ring_dropped_packets_total{ring=\"0\",cause=\"no_room\"} 12");
  }

  @Test
  void shouldReportTheSameAsJson() {
    assertThat(new ForwardReport(SENT, true).json())
        .isEqualTo(
            """
            {"datagrams": 8, "bytes": 9, "unsent_datagrams": 10, "unreachable": 11, "rings": [{"read": 1, "sent": 2, "unsent": 3, "lost_in_ring": 4, "lost_before_tap": 5, "before_start": 6}], "ended": true}
            """);
    assertThat(report().json())
        .contains("\"datagrams\": 1, \"bytes\": 2, \"refused\": {\"too_short\": 100, ")
        .contains("\"runs\": 3, \"rings\": [{\"packets\": 4, \"repeated\": 5, ")
        .contains("\"lost\": {\"before_tap\": 200, \"ring\": 201, \"network\": 202, \"away\": 203}")
        .contains("\"missing_datagrams\": 6, \"waiting_datagrams\": 7, \"before_start\": 8, ")
        .contains("\"missed_unknown\": 9, ")
        .contains("\"offered\": 10, \"written\": 11, \"dropped\": 12, \"lost_before_tap\": 17}]")
        .endsWith("\"ended\": false}\n");
  }

  @Test
  void shouldSayInALineWhatGoesOn() {
    assertThat(new ForwardReport(SENT, false).line(2))
        .isEqualTo("2 packets sent, 1 /s, 4 lost in the ring, 7 to read");
    assertThat(report().line(2))
        .isEqualTo("4 packets received, 2 /s, 806 lost on the way, 12 dropped");
  }

  @Test
  void shouldBeDescribedOnItsPage() throws IOException {
    Set<String> told = new TreeSet<>();
    for (String text :
        List.of(
            ForwardMetrics.text("", "", SENT), ReceiveMetrics.text("", 0, report(), List.of()))) {
      FAMILY.matcher(text).results().forEach(family -> told.add(family.group(1)));
    }
    told.removeIf(name -> !name.matches("flowstone_(forward|receive)_.*"));
    String page = Files.readString(root().resolve("docs/forward.md"));
    Set<String> described = new TreeSet<>();
    DESCRIBED.matcher(page).results().forEach(name -> described.add(name.group(1)));
    assertThat(described).isEqualTo(told);
    for (Refusal reason : Refusal.values()) {
      assertThat(page).contains("`" + ReceiveReport.name(reason) + "`");
    }
    for (LossCause cause : LossCause.values()) {
      assertThat(page).contains("`" + ReceiveReport.name(cause) + "`");
    }
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
