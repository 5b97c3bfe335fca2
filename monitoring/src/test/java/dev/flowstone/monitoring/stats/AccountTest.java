// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sampling job's counters, right and wrong. */
class AccountTest {
  private final Map<String, Long> counters =
      new LinkedHashMap<>(
          Map.of(
              "Source__rings.numBytesIn", 640L,
              "Source__rings.taprings.eth0.ring.0.packetsConsumed", 7L,
              "Source__rings.taprings.eth0.ring.1.packetsConsumed", 3L,
              "Source__rings.taprings.eth0.ring.1.packetsLost", 2L,
              "Rules.packets", 10L,
              "Rules.packetsDropped", 4L));

  AccountTest() {
    counters.putAll(
        Map.of(
            "Rules.rule.web.packetsOfRule", 6L,
            "Rules.rule.default.packetsOfRule", 4L,
            "Sample.rule.web.packetsIn", 6L,
            "Sample.rule.web.packetsKept", 1L,
            "Sample.rule.web.packetsSampled", 2L,
            "Sample.rule.web.packetsLeftOut", 3L,
            "Kafka__Writer.user.packetsReceived", 3L,
            "Kafka__Writer.user.packetsPacked", 3L));
  }

  private Account account() {
    return new Account(
        OperatorCounters.ofTask(counters).stream()
            .sorted(
                (one, other) ->
                    KnownStage.of(one).orElseThrow().compareTo(KnownStage.of(other).orElseThrow()))
            .toList());
  }

  private List<String> differences() {
    return account().pairs().stream()
        .filter(pair -> !pair.isEqual())
        .map(Account.Pair::toString)
        .toList();
  }

  @Test
  void shouldFindEveryPacket() {
    assertThat(account().pairs()).hasSize(7);
    assertThat(differences()).isEmpty();
    assertThat(account().equation()).isEqualTo("read 10 = 6 in Sample + 4 dropped by rules");
  }

  @Test
  void shouldPassOverWhatFunctionsOfUsersCountThemselves() {
    counters.put("Sample.rule.web.user.packetsIn", 7L);
    counters.put("Sample.rule.web.user.http.packetsConsumed", 7L);
    assertThat(account().pairs()).hasSize(7);
    assertThat(differences()).isEmpty();
  }

  @Test
  void shouldNameThePairBetweenWhichAPacketIsMissing() {
    counters.put("Source__rings.numBytesIn", 704L);
    assertThat(differences())
        .containsExactly("read from rings 11, but sent on by the source 10: 1 missing");
    counters.put("Source__rings.numBytesIn", 640L);

    counters.put("Rules.packets", 9L);
    assertThat(differences())
        .containsExactly(
            "sent on by the source 10, but given a rule 9: 1 missing",
            "given a rule 9, but counted by rule 10: 1 too many");
    counters.put("Rules.packets", 10L);

    counters.put("Rules.packetsDropped", 3L);
    assertThat(differences())
        .containsExactly("of rules that do not drop 7, but given to functions 6: 1 missing");
    counters.put("Rules.packetsDropped", 4L);

    counters.put("Sample.rule.web.packetsLeftOut", 2L);
    assertThat(differences())
        .containsExactly("to be sampled 6, but chosen + left out 5: 1 missing");
    counters.put("Sample.rule.web.packetsLeftOut", 3L);

    counters.put("Kafka__Writer.user.packetsReceived", 2L);
    counters.put("Kafka__Writer.user.packetsPacked", 2L);
    assertThat(differences()).containsExactly("chosen 3, but to be packed 2: 1 missing");
    counters.put("Kafka__Writer.user.packetsPacked", 3L);
    assertThat(differences()).contains("to be packed 2, but in messages 3: 1 too many");
  }

  /** Rules send packets to functions of every kind, each of which counts what came. */
  @Test
  void shouldFindEveryPacketInEveryFunction() {
    counters.keySet().removeIf(name -> name.startsWith("Kafka"));
    counters.putAll(
        Map.of(
            "Source__rings.numBytesIn", 64_000L,
            "Source__rings.taprings.eth0.ring.0.packetsConsumed", 997L,
            "Rules.packets", 1_000L,
            "Rules.rule.default.packetsOfRule", 994L));
    counters.putAll(
        Map.of(
            "Flow records.packets", 500L,
            "Flow records.flowBytes", 4_096L,
            "Flow records.packetsWithoutRoom", 20L,
            "Histograms.packets", 300L,
            "Histograms.flowBytes", 8_192L,
            "Histograms.packetsWithoutRoomOfRule", 7L));
    counters.putAll(
        Map.of(
            "Detectors.packets", 150L,
            "Detectors.packetsWatched", 90L,
            "Detectors.packetsLate", 2L,
            "Own code.packets", 40L,
            "Own code.functionFailures", 1L,
            "Own code.packetsFailed", 3L));
    counters.putAll(
        Map.of(
            "Alerts.partsIn", 30L,
            "Alerts.alertsOpened", 4L,
            "Alerts.alertsClosed", 3L,
            "Alerts.partsWithoutRoom", 5L,
            "QuestDB.resultsReceived", 60L,
            "QuestDB.resultsWritten", 58L,
            "QuestDB.resultsDeadLettered", 2L));

    assertThat(differences()).isEmpty();
    assertThat(account().equation())
        .startsWith("read 1,000 = ")
        .contains(
            "6 in Sample",
            "500 in Flow records",
            "300 in Histograms",
            "150 in Detectors",
            "40 in Own code",
            "4 dropped by rules");
    Account account = account();
    assertThat(StageLines.of(account.operators(), account.operators(), 2))
        .anyMatch(line -> line.matches(" *Flow records +500 +0 +20 no room for the flow"))
        .anyMatch(line -> line.matches(" *Histograms +300 +0 +7 no room for the flow under a rule"))
        .anyMatch(line -> line.matches(" *Detectors +150 +0 +2 late"))
        .anyMatch(line -> line.matches(" *Own code +40 +0 +3 failed in a function"))
        .anyMatch(line -> line.matches(" *Alerts +30 +0 +7 +5 no room to watch"))
        .anyMatch(line -> line.matches(" *QuestDB +60 +0 +58 +2 refused"));

    counters.put("Histograms.packets", 299L);
    assertThat(differences())
        .containsExactly("of rules that do not drop 996, but given to functions 995: 1 missing");
  }

  @Test
  void shouldLetPacketsBeOnTheirWayButNotForEver() {
    Account.Pair first = new Account.Pair(KnownStage.RULES, "out", 100, "in", 90);
    assertThat(first.mayBecomeEqual(new Account.Pair(KnownStage.RULES, "out", 200, "in", 150)))
        .isTrue();
    assertThat(first.mayBecomeEqual(new Account.Pair(KnownStage.RULES, "out", 200, "in", 99)))
        .isFalse();
    assertThat(
            new Account.Pair(KnownStage.RULES, "out", 100, "in", 130)
                .mayBecomeEqual(new Account.Pair(KnownStage.RULES, "out", 120, "in", 140)))
        .isFalse();
  }

  @Test
  void shouldShowEachStageAndRing() {
    Account account = account();

    assertThat(StageLines.of(account.operators(), account.operators(), 2))
        .containsExactly(
            "  packets                               in      rate/s             out   left out",
            "  Source: rings                         10           0              10   2 lost in rings",
            "    eth0/0                                                           7   0",
            "    eth0/1                                                           3   2 lost in rings",
            "  Rules                                 10           0               6   4 by rules that drop",
            "  Sample                                 6           0               3   3 left out of the sample",
            "  Kafka: Writer                          3           0               3");
  }
}
