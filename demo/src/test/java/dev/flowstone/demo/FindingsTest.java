// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FindingsTest {
  private final Findings findings = new Findings();

  private void take(String json) {
    findings.take(json.replace('\'', '"').getBytes(UTF_8));
  }

  private void alert(String state, String subject, int second, long observed) {
    take(
        String.format(
            Locale.ROOT,
            "{'kind':'alert','id':'r/syn_flood/%s','time_ns':%d000000000,'state':'%s','detector':'syn_flood',"
                + "'subject':'%s','observed':%d,'limit':20000,'peak':123456}",
            subject,
            second,
            state,
            subject,
            observed));
  }

  private void flowRecord(String source, int port, int second, long bytes) {
    take(
        String.format(
            Locale.ROOT,
            "{'kind':'flow_record','source_address':'%s','source_port':%d,'destination_address':'192.0.2.1',"
                + "'destination_port':443,'last_ns':%d500000000,'packets':3,'bytes':%d}",
            source,
            port,
            second,
            bytes));
  }

  @Test
  void shouldSayOfAnAlertWhenWhatOfWhomAndBesideWhichLimit() {
    alert("opened", "192.0.2.80", 3_661, 100_123);
    assertThat(findings.alerts().getFirst().line())
        .isEqualTo("01:01:01  opened   syn_flood  192.0.2.80             100,123 > 20,000");
    alert("closed", "192.0.2.80", 3_670, 0);
    assertThat(findings.alerts().getFirst().line())
        .as("what was seen last says nothing of it any more")
        .isEqualTo("01:01:10  closed   syn_flood  192.0.2.80             peak 123,456 > 20,000");
  }

  @Test
  void shouldKeepTheLatestOfEachAlertTheNewestFirst() {
    alert("opened", "a", 1, 30_000);
    alert("opened", "b", 2, 30_000);
    alert("updated", "a", 3, 40_000);
    assertThat(findings.alerts()).extracting(AlertNews::subject).containsExactly("a", "b");
    assertThat(findings.alerts().getFirst().observed()).isEqualTo(40_000);
    assertThat(findings.alertsOpened()).isEqualTo(2);
  }

  /** A small window shows only one. */
  @Test
  void shouldBeginWithTheGravestOfOneMoment() {
    alert("updated", "a", 5, 30_000);
    alert("updated", "flooded", 5, 100_000);
    alert("updated", "b", 5, 40_000);
    alert("closed", "over", 5, 0);
    assertThat(findings.alerts())
        .extracting(AlertNews::subject)
        .containsExactly("over", "flooded", "b", "a");
  }

  @Test
  void shouldForgetTheOldestOfManyAlertsButNotHowMany() {
    for (int i = 0; i <= AlertBoard.MOST_ALERTS; i++) {
      alert("opened", "host-" + i, i + 1, 30_000);
    }
    assertThat(findings.alerts()).hasSize(AlertBoard.MOST_ALERTS);
    assertThat(findings.alerts().getLast().subject()).isEqualTo("host-1");
    assertThat(findings.alertsOpened()).isEqualTo(AlertBoard.MOST_ALERTS + 1);
    assertThat(findings.takeAlertNews()).hasSize(AlertBoard.MOST_ALERTS);
  }

  /** Without a terminal each line stays: news of every second would be too many. */
  @Test
  void shouldTellOpeningsAndClosingsOnce() {
    alert("opened", "a", 1, 30_000);
    alert("updated", "a", 2, 30_000);
    alert("closed", "a", 3, 30_000);
    assertThat(findings.takeAlertNews())
        .extracting(AlertNews::state)
        .containsExactly("opened", "closed");
    assertThat(findings.takeAlertNews()).isEmpty();
  }

  /** A record is told later than packets are: those seconds count of which all has come. */
  @Test
  void shouldRankFlowsByWhatTheyCarriedInSecondsThatAreToldWhole() {
    flowRecord("192.0.2.7", 50_000, 100, 9_000_000);
    flowRecord("192.0.2.8", 50_000, 104, 1_000_000);
    flowRecord("2001:db8::1", 50_000, 104, 500_000);
    flowRecord("192.0.2.8", 50_000, 105, 1_000_000);
    flowRecord("192.0.2.9", 50_000, 106, 70_000_000);
    assertThat(findings.talkers(2)).hasSize(1);
    flowRecord("192.0.2.9", 50_000, 108, 1);
    assertThat(findings.talkers(3))
        .containsExactly(
            new TopTalkers.Talker("192.0.2.8:50000 > 192.0.2.1:443", 400_000),
            new TopTalkers.Talker("[2001:db8::1]:50000 > 192.0.2.1:443", 100_000));
    flowRecord("192.0.2.7", 50_000, 100, 9_000_000);
    assertThat(findings.talkers(3)).as("too old").hasSize(2);
    assertThat(findings.flowRecordPackets()).as("all the same").isEqualTo(21);
  }

  /** Whatever function they had: packets, records, the demo's own. */
  @Test
  void shouldRankFlowsThatAreToldInAnyWayTogether() {
    flowRecord("192.0.2.8", 50_000, 100, 3_000_000);
    take(
        "{'kind':'burst','time_ns':100000000000,'source_address':'192.0.2.3','source_port':4000,"
            + "'destination_address':'192.0.2.4','destination_port':5001,'last_ns':100001000000,"
            + "'packets':1000,'bytes':1500000}");
    findings.take(new FlowBytes(100, Map.of(SentDatagrams.flow(9), 2_000_000L)));
    findings.take(new FlowBytes(103, Map.of(SentDatagrams.flow(9), 7L)));
    assertThat(findings.talkers(9))
        .containsExactly(
            new TopTalkers.Talker("192.0.2.8:50000 > 192.0.2.1:443", 600_000),
            new TopTalkers.Talker("192.0.2.1:9 > 192.0.2.2:5001", 400_000),
            new TopTalkers.Talker("192.0.2.3:4000 > 192.0.2.4:5001", 300_000));
    assertThat(findings.burst().orElseThrow().line())
        .isEqualTo(
            "00:01:40  1,000 packets in 1,000 us, 12.0 Gb/s  192.0.2.3:4000 > 192.0.2.4:5001");
  }

  @Test
  void shouldKeepNoMoreFlowsOfASecondThanItHasRoomFor() {
    for (int i = 0; i <= TopTalkers.MOST_FLOWS_PER_SECOND; i++) {
      flowRecord("10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255), 1, 5, 10);
    }
    flowRecord("192.0.2.9", 1, 5 + TopTalkers.SETTLING_SECONDS, 10);
    assertThat(findings.talkers(1 << 20)).hasSize(TopTalkers.MOST_FLOWS_PER_SECOND);
  }

  @Test
  void shouldCountResultsOfKindsThatItDoesNotKnow() {
    take("{'kind':'weather'}");
    take("{'kind':'weather'}");
    flowRecord("192.0.2.7", 1, 1, 1);
    assertThat(findings.kinds()).isEqualTo(Map.of("weather", 2L, "flow_record", 1L));
  }

  @Test
  void shouldSayThatAResultIsNone() {
    assertThatThrownBy(() -> take("{'kind")).hasMessageContaining("a result is no JSON");
  }
}
