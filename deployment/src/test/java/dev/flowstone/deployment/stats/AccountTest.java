// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.stats;

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
            "Kafka__Writer.packetsReceived", 3L,
            "Kafka__Writer.packetsPacked", 3L));
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

    counters.put("Kafka__Writer.packetsReceived", 2L);
    counters.put("Kafka__Writer.packetsPacked", 2L);
    assertThat(differences()).containsExactly("chosen 3, but to be packed 2: 1 missing");
    counters.put("Kafka__Writer.packetsPacked", 3L);
    assertThat(differences()).contains("to be packed 2, but in messages 3: 1 too many");
  }

  @Test
  void shouldLetPacketsBeOnTheirWayButNotForEver() {
    Account.Pair first = new Account.Pair("out", 100, "in", 90);
    assertThat(first.mayBecomeEqual(new Account.Pair("out", 200, "in", 150))).isTrue();
    assertThat(first.mayBecomeEqual(new Account.Pair("out", 200, "in", 99))).isFalse();
    assertThat(
            new Account.Pair("out", 100, "in", 130)
                .mayBecomeEqual(new Account.Pair("out", 120, "in", 140)))
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
