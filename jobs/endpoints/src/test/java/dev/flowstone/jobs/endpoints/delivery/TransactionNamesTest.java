// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionNamesTest {
  private static final TransactionNames NAMES = new TransactionNames("site.7", "0000000abc");

  @Test
  void shouldDrawAnotherPrefixForEachRun() {
    TransactionNames drawn = TransactionNames.ofNewRun("site.7");
    assertThat(drawn.prefix())
        .matches("site\\.7-run[0-9a-z]{10}")
        .isNotEqualTo(TransactionNames.ofNewRun("site.7").prefix());
    assertThat(NAMES.isOfAnotherRunAfter(drawn.prefix() + "-0-1", 0)).isTrue();
    assertThat(drawn.isOfAnotherRunAfter(drawn.prefix() + "-0-1", 0)).isFalse();
  }

  @Test
  void shouldKnowNamesOfFormerReleases() {
    assertThat(NAMES.isOfAnotherRunAfter("site.7-12-907200", 0)).isTrue();
  }

  /** A checkpoint may have those up to its own number, to be committed. */
  @Test
  void shouldLeaveAloneWhatACheckpointHas() {
    assertThat(NAMES.isOfAnotherRunAfter("site.7-run0000000abd-0-7", 7)).isFalse();
    assertThat(NAMES.isOfAnotherRunAfter("site.7-run0000000abd-0-8", 7)).isTrue();
  }

  /** Of itself, of another sink of the job, of other jobs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "site.7-run0000000abc-0-1",
        "site.7-results-run0000000abd-0-1",
        "site.7-results-0-1",
        "site.7-1-run0000000abd-0-1",
        "site.7-1-0-1",
        "sitex7-run0000000abd-0-1",
        "a-site.7-run0000000abd-0-1",
      })
  void shouldLeaveAllOthersAlone(String name) {
    assertThat(NAMES.isOfAnotherRunAfter(name, 0)).isFalse();
  }
}
