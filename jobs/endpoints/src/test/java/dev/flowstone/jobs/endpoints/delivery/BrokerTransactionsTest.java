// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerTransactionsTest {
  private static final int BROKER = 1;
  private static final int PRODUCER = 12;
  private static final short EPOCH = 3;
  private static final int TIMEOUT_MS = 1_000;

  /** Most of them as a broker of version 4.2 wrote them down while TaskManagers were killed. */
  @ParameterizedTest
  @CsvSource({
    // Its producer, or one that took its place without a new epoch, committed it.
    "12, 4, PREPARE_COMMIT,  true",
    "12, 4, COMPLETE_COMMIT, true",
    "12, 3, COMPLETE_COMMIT, true",
    // And asked for a new epoch behind it.
    "12, 4, EMPTY,           true",
    "12, 4, PREPARE_ABORT,   false",
    "12, 4, COMPLETE_ABORT,  false",
    // Aborted, and its name taken again.
    "12, 5, EMPTY,           false",
    "12, 5, COMPLETE_COMMIT, false",
    "12, 6, ONGOING,         false",
    "12, 7, COMPLETE_COMMIT, false",
    "13, 4, COMPLETE_COMMIT, false",
  })
  void shouldTellWhatWasCommittedFromWhatWasGivenUp(
      long producer, short epoch, TransactionState state, boolean committed) throws Exception {
    assertThat(wasCommitted(producer, epoch, state)).isEqualTo(committed);
  }

  private static boolean wasCommitted(long producer, short epoch, TransactionState state)
      throws IOException {
    return BrokerTransactions.wasCommitted(
        new KafkaCommittable(PRODUCER, EPOCH, "platform-1-6", null),
        new TransactionDescription(
            BROKER, state, producer, epoch, TIMEOUT_MS, OptionalLong.empty(), Set.of()));
  }

  /** It can still be committed: to take it for lost would make it so. */
  @Test
  void shouldNotJudgeWhatIsOpen() {
    assertThatThrownBy(() -> wasCommitted(PRODUCER, EPOCH, TransactionState.ONGOING))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("transaction platform-1-6: it is still open");
  }
}
