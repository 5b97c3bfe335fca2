// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.model.PacketLoss;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.internal.WritableBackchannel;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.throwable.ThrowableClassifier;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class TransactionCommitterTest {
  private static final long RESTORED = 17;

  private final Map<String, RuntimeException> failures = new HashMap<>();
  private final List<String> committed = new ArrayList<>();
  private final List<PacketTransaction> told = new ArrayList<>();
  private final Map<String, Counter> counters = new HashMap<>();

  /** As the connector's: what Kafka refuses is signalled, and the next one tried. */
  private final class KafkaWithFailures implements Committer<KafkaCommittable> {
    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests) {
      for (CommitRequest<KafkaCommittable> request : requests) {
        String name = request.getCommittable().getTransactionalId();
        RuntimeException failure = failures.get(name);
        if (failure instanceof ProducerFencedException) {
          request.signalFailedWithKnownReason(failure);
        } else if (failure instanceof RetriableException) {
          request.retryLater();
        } else if (failure != null) {
          request.signalFailedWithUnknownReason(failure);
        } else {
          committed.add(name);
        }
      }
    }

    @Override
    public void close() {}
  }

  private final class Told implements WritableBackchannel<PacketTransaction> {
    @Override
    public void send(PacketTransaction lost) {
      told.add(lost);
    }

    @Override
    public boolean isEstablished() {
      return true;
    }

    @Override
    public void close() {}
  }

  private final class Counters extends UnregisteredMetricsGroup {
    @Override
    public Counter counter(String name) {
      return counters.computeIfAbsent(name, _ -> new SimpleCounter());
    }
  }

  private boolean wasCommitted;

  /** As the broker: it has no answer for what it forgot. */
  private boolean wasCommitted(KafkaCommittable transaction) {
    assertThat(failures.get(transaction.getTransactionalId()))
        .isNotInstanceOf(InvalidPidMappingException.class);
    return wasCommitted;
  }

  private TransactionCommitter committer(OnLostTransaction onLost) {
    return new TransactionCommitter(
        new KafkaWithFailures(),
        this::wasCommitted,
        onLost,
        "packets",
        RESTORED,
        new Told(),
        new Counters());
  }

  private static CommitRequestRecord request(String name, long previousCheckpoint) {
    PacketBlock loss =
        PacketBlock.empty(new PacketBlockOrigin(3, 42, 1_000, 0, true), PacketLoss.inRing(2_500));
    return new CommitRequestRecord(
        new PacketTransaction(
            new KafkaCommittable(1, (short) 0, name, null),
            previousCheckpoint,
            2_400,
            List.of(WeightedBlock.plain(loss))));
  }

  /** The connector logs the request itself. */
  @Test
  void shouldHandRequestsToKafkaThatNameTheirTransaction() {
    assertThat(new CommitOutcome(request("job-0-17", 16))).hasToString("job-0-17");
  }

  @Test
  void shouldFailForGoodAndNameCheckpointTransactionAndRemedy() {
    failures.put("job-0-17", new ProducerFencedException("fenced"));
    TransactionCommitter committer = committer(OnLostTransaction.FAIL);
    assertThatThrownBy(
            () -> committer.commit(List.of(request("job-0-17", 16), request("job-1-17", 16))))
        .isInstanceOf(LostTransactionException.class)
        .hasMessageContaining("job-0-17")
        .hasMessageContaining("checkpoint 17, from which the job begins")
        .hasMessageContaining("2,400 packets")
        .hasMessageContaining("--on-lost-transaction continue")
        .hasMessageContaining("--transaction-timeout")
        .satisfies(
            e ->
                assertThat(ThrowableClassifier.getThrowableType(e))
                    .isEqualTo(ThrowableType.NonRecoverableError));
    assertThat(committed).containsExactly("job-1-17");
    assertThat(told).isEmpty();
  }

  @Test
  void shouldNotNameTheRestoredCheckpointForALaterLoss() {
    failures.put("job-0-20", new ProducerFencedException("fenced"));
    assertThatThrownBy(
            () -> committer(OnLostTransaction.FAIL).commit(List.of(request("job-0-20", 19))))
        .hasMessageContaining("after checkpoint 19, which the next checkpoint counts");
  }

  /** Killed between the commit and the news of it: the broker gave the producer a new epoch. */
  @Test
  void shouldNotCallLostWhatWasCommittedBeforeTheRestart() throws Exception {
    failures.put("job-0-17", new ProducerFencedException("fenced"));
    wasCommitted = true;
    CommitRequestRecord committedBefore = request("job-0-17", 16);
    committer(OnLostTransaction.FAIL).commit(List.of(committedBefore));
    assertThat(committedBefore.isAlreadyCommitted()).isTrue();
    assertThat(told).isEmpty();
    assertThat(count("packets" + TransactionCommitter.LOST)).isZero();
  }

  @Test
  void shouldGoOnAndCountAndTell() throws Exception {
    failures.put("job-0-17", new ProducerFencedException("fenced"));
    CommitRequestRecord lost = request("job-0-17", 16);
    CommitRequestRecord whole = request("job-0-18", 17);
    committer(OnLostTransaction.CONTINUE).commit(List.of(lost, whole));
    assertThat(told).containsExactly(lost.getCommittable());
    assertThat(count("packets" + TransactionCommitter.LOST)).isEqualTo(2_400);
    assertThat(count("packets" + TransactionCommitter.UNCERTAIN)).isZero();
    assertThat(lost.failure()).isInstanceOf(ProducerFencedException.class);
    assertThat(whole.failure()).isNull();
    assertThat(committed).containsExactly("job-0-18");
  }

  @Test
  void shouldNotCallLostWhatKafkaForgot() throws Exception {
    failures.put("job-0-17", new InvalidPidMappingException("unknown"));
    assertThatThrownBy(
            () -> committer(OnLostTransaction.FAIL).commit(List.of(request("job-0-17", 16))))
        .isInstanceOf(LostTransactionException.class)
        .hasMessageContaining("no longer knows transaction job-0-17")
        .hasMessageContaining("transactional.id.expiration.ms");
    committer(OnLostTransaction.CONTINUE).commit(List.of(request("job-0-17", 16)));
    assertThat(told).isEmpty();
    assertThat(count("packets" + TransactionCommitter.LOST)).isZero();
    assertThat(count("packets" + TransactionCommitter.UNCERTAIN)).isEqualTo(2_400);
  }

  /** The client would give its late answer for that of the next one. */
  @Test
  void shouldTryNothingBehindATransactionOfWhichKafkaSaysNothing() {
    failures.put("job-0-17", new TimeoutException("no answer"));
    TransactionCommitter committer = committer(OnLostTransaction.CONTINUE);
    assertThatThrownBy(
            () -> committer.commit(List.of(request("job-0-17", 16), request("job-0-18", 17))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("did not say in time whether transaction job-0-17 is committed");
    assertThat(committed).isEmpty();
  }

  @Test
  void shouldLeaveOtherTroubleToFlink() {
    failures.put("job-0-17", new IllegalStateException("no network"));
    assertThatThrownBy(
            () -> committer(OnLostTransaction.CONTINUE).commit(List.of(request("job-0-17", 16))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no network");
  }

  private long count(String name) {
    return counters.get(name).getCount();
  }
}
