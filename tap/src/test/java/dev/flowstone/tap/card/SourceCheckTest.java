// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.CardSourceRegistersLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a source says of its end, and what is made of it. */
class SourceCheckTest {
  private final Map<Long, Integer> values =
      new HashMap<>(
          Map.of(
              CardSourceRegistersLayout.MAGIC_OFFSET,
              CardSourceRegistersLayout.MAGIC,
              CardSourceRegistersLayout.VERSION_OFFSET,
              CardSourceRegistersLayout.VERSION,
              CardSourceRegistersLayout.SENT_PACKETS_OFFSET,
              7,
              CardSourceRegistersLayout.SENT_PACKETS_OFFSET + 4,
              1,
              CardSourceRegistersLayout.SENT_BYTES_OFFSET,
              500));
  private final SourceKernel kernel =
      new SourceKernel(
          "ht_pcapsrc",
          new Registers() {
            @Override
            public int read(long offset) {
              return values.getOrDefault(offset, 0);
            }

            @Override
            public void write(long offset, int value) {
              values.put(offset, value);
            }
          });

  private CardSourceCounters counters(int status) {
    values.put(CardSourceRegistersLayout.STATUS_OFFSET, status);
    return kernel.counters(100);
  }

  @Test
  void shouldReadWhatASourceTells() {
    long sent = (1L << 32) + 7;
    assertThat(counters(0)).isEqualTo(new CardSourceCounters(100, sent, 500, false, false));
    assertThat(counters(1)).isEqualTo(new CardSourceCounters(100, sent, 500, true, false));
    assertThat(counters(2)).isEqualTo(new CardSourceCounters(100, sent, 500, false, true));
    kernel.setGap(9);
    assertThat(values).containsEntry(CardSourceRegistersLayout.GAP_CYCLES_OFFSET, 9);
  }

  private static void check(CardSourceCounters source, long received, long bad, boolean isWhole) {
    SourceCheck.require(
        "card 0",
        List.of(source, CardSourceCounters.NOTHING),
        List.of(
            new PortCounters(received, 0, bad, 0, 0, received), new PortCounters(0, 0, 0, 0, 0, 0)),
        isWhole);
  }

  @Test
  void shouldBeContentWhereAllCameThatWasSent() {
    assertThatCode(
            () -> {
              check(new CardSourceCounters(100, 100, 0, false, false), 100, 0, true);
              check(new CardSourceCounters(100, 40, 0, false, false), 40, 0, false);
              check(new CardSourceCounters(0, 0, 0, false, false), 0, 0, true);
            })
        .doesNotThrowAnyException();
  }

  @Test
  void shouldTellWhatEndedItAndWhatIsMissing() {
    requireSaid(
        new CardSourceCounters(100, 41, 0, true, false),
        40,
        1,
        "the card's memory refused a read after 41 packets");
    requireSaid(
        new CardSourceCounters(100, 41, 0, false, true),
        40,
        1,
        "ended in the middle of a block after 41 packets");
    requireSaid(
        new CardSourceCounters(100, 100, 0, false, false),
        98,
        1,
        "it sent 100 packets, and its port counts 98 that came and 1 damaged ones");
    requireSaid(
        new CardSourceCounters(100, 60, 0, false, false),
        60,
        0,
        "it ended by itself after 60 of 100 packets");
  }

  private static void requireSaid(CardSourceCounters source, long received, long bad, String said) {
    assertThatThrownBy(() -> check(source, received, bad, true))
        .isInstanceOf(CardException.class)
        .hasMessageStartingWith("card 0, source of port 0: ")
        .hasMessageContaining(said);
  }
}
