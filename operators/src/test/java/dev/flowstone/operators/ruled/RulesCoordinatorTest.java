// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.operators.ruled.RulesWatch.WrittenRules;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorCoordinatorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.Acknowledge;
import org.apache.flink.runtime.operators.coordination.CoordinatorStore;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator.SubtaskGateway;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class RulesCoordinatorTest {
  private static final RulesText SUBMITTED = text(1, "pass");

  private final Context context = new Context();
  private final Subtask subtask = new Subtask();

  private static RulesText text(long version, String function) {
    return new RulesText(version, "here", rules(function));
  }

  private static String rules(String function) {
    return "rules: []\ndefault: {function: " + function + "}";
  }

  private static WrittenRules written(String function) {
    return written("there", function);
  }

  private static WrittenRules written(String place, String function) {
    return new WrittenRules(place, rules(function).getBytes(UTF_8));
  }

  private RulesCoordinator coordinator(RulesText submitted, RulesWatch watch) {
    LiveRules rules =
        LiveRules.fixed(
            submitted,
            each -> {
              if (each.kind(0) == FunctionKind.AGGREGATE) {
                throw new IllegalArgumentException("no room to aggregate");
              }
            });
    return new RulesCoordinator(watch == null ? rules : rules.watching(watch), context);
  }

  private List<Long> toldVersions() {
    return subtask.told.stream().map(event -> ((RulesEvent) event).rules().version()).toList();
  }

  @Test
  void shouldTellWhatIsInForceToWhoeverIsReady() {
    RulesCoordinator coordinator = coordinator(SUBMITTED, null);

    coordinator.executionAttemptReady(0, 0, subtask);

    assertThat(subtask.told).containsExactly(new RulesEvent(SUBMITTED));
  }

  @Test
  void shouldGiveEachGoodSetTheNextVersionAndTellIt() {
    RulesCoordinator coordinator = coordinator(SUBMITTED, null);
    coordinator.executionAttemptReady(0, 0, subtask);

    coordinator.offer(written("drop"));
    coordinator.offer(written("drop"));
    coordinator.offer(written("pass"));

    assertThat(toldVersions()).containsExactly(1L, 2L, 3L);
    assertThat(((RulesEvent) subtask.told.get(1)).rules())
        .isEqualTo(new RulesText(2, "there", rules("drop")));
  }

  @Test
  void shouldRefuseWhatIsBadOrCannotBeDoneAndKeepTheRules() {
    RulesCoordinator coordinator = coordinator(SUBMITTED, null);
    coordinator.executionAttemptReady(0, 0, subtask);

    coordinator.offer(new WrittenRules("there", "rules: {".getBytes(UTF_8)));
    coordinator.offer(written("fly"));
    coordinator.offer(written("aggregate"));
    coordinator.offer(new WrittenRules("there", new byte[0]));
    // Good rules, but too many bytes, of which who reads a file or a topic takes the first.
    String padding = " # " + "\u00e9".repeat(TextFile.MOST_BYTES / 2);
    coordinator.offer(new WrittenRules("there", (rules("drop") + padding).getBytes(UTF_8)));
    // In UTF-8 a comment, if such bytes were replaced.
    byte[] comment = (rules("drop") + " # \u00e9").getBytes(ISO_8859_1);
    coordinator.offer(new WrittenRules("there", comment));

    assertThat(toldVersions()).containsExactly(1L);
    assertThat(context.refused.getCount()).isEqualTo(6);
  }

  @Test
  void shouldNotTellAnAttemptThatFailed() {
    RulesCoordinator coordinator = coordinator(SUBMITTED, null);
    coordinator.executionAttemptReady(0, 0, subtask);
    coordinator.executionAttemptFailed(0, 0, null);

    coordinator.offer(written("drop"));

    assertThat(toldVersions()).containsExactly(1L);
  }

  @Test
  void shouldGoOnByTheRulesOfItsCheckpoint() throws Exception {
    RulesCoordinator before = coordinator(SUBMITTED, null);
    before.offer(written("drop"));
    RulesCoordinator after = coordinator(SUBMITTED, null);

    after.resetToCheckpoint(5, checkpoint(before));
    after.executionAttemptReady(0, 1, subtask);
    // A checkpoint waits until the rules are decided.
    checkpoint(after);

    assertThat(subtask.told)
        .containsExactly(new RulesEvent(new RulesText(2, "there", rules("drop"))));
  }

  @Test
  void shouldTakeOtherRulesThatAJobIsSubmittedWithAgain() throws Exception {
    RulesCoordinator before = coordinator(SUBMITTED, null);
    before.offer(written("drop"));
    RulesCoordinator after = coordinator(text(1, "histogram"), null);

    after.resetToCheckpoint(5, checkpoint(before));
    after.executionAttemptReady(0, 1, subtask);
    // A checkpoint waits until the rules are decided.
    checkpoint(after);

    assertThat(subtask.told)
        .containsExactly(new RulesEvent(new RulesText(3, "here", rules("histogram"))));
  }

  /** As where a job is submitted again with less room. */
  @Test
  void shouldNotGoOnByRulesOfItsCheckpointThatItCannotDo() throws Exception {
    RulesCoordinator before = new RulesCoordinator(LiveRules.fixed(SUBMITTED, _ -> {}), context);
    before.offer(written("aggregate"));
    RulesCoordinator after = coordinator(SUBMITTED, null);

    after.resetToCheckpoint(5, checkpoint(before));
    after.executionAttemptReady(0, 1, subtask);
    // A checkpoint waits until the rules are decided.
    checkpoint(after);

    assertThat(subtask.told)
        .containsExactly(new RulesEvent(new RulesText(3, "here", rules("pass"))));
  }

  /** To make sure of rules may take seconds: they are parsed, and jars of users opened. */
  @Test
  @Timeout(20)
  void shouldNotHoldUpItsCallerWhileTheRulesOfACheckpointAreChecked() throws Exception {
    byte[] before = checkpoint(coordinator(SUBMITTED, null));
    CountDownLatch checked = new CountDownLatch(1);
    AtomicBoolean isRestored = new AtomicBoolean();
    LiveRules slow =
        LiveRules.fixed(
            SUBMITTED,
            _ -> {
              if (isRestored.get()) {
                awaitStubbornly(checked);
              }
            });
    RulesCoordinator coordinator = new RulesCoordinator(slow, context);
    isRestored.set(true);

    coordinator.resetToCheckpoint(5, before);
    coordinator.executionAttemptReady(0, 1, subtask);
    CompletableFuture<byte[]> checkpoint = new CompletableFuture<>();
    coordinator.checkpointCoordinator(6, checkpoint);

    assertThat(subtask.told).isEmpty();
    assertThat(checkpoint).isNotDone();
    checked.countDown();
    checkpoint.get();
    assertThat(subtask.told).containsExactly(new RulesEvent(SUBMITTED));
  }

  @Test
  @Timeout(20)
  void shouldNotWaitForALookThatHangsWhenItIsClosed() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    RulesCoordinator coordinator = coordinator(SUBMITTED, new Hanging(begun, answered));
    coordinator.start();
    begun.await();
    coordinator.close();
    assertThat(answered.getCount()).as("it still hangs").isOne();
    answered.countDown();
  }

  /** As code does that ignores interrupts. */
  private static void awaitStubbornly(CountDownLatch latch) {
    boolean isOpen = false;
    while (!isOpen) {
      try {
        latch.await();
        isOpen = true;
      } catch (InterruptedException ignored) {
        // Goes on waiting.
      }
    }
  }

  private record Hanging(CountDownLatch begun, CountDownLatch answered) implements RulesWatch {
    @Override
    public Looking begin() {
      begun.countDown();
      awaitStubbornly(answered);
      return new Many().begin();
    }
  }

  private static byte[] checkpoint(RulesCoordinator coordinator) throws Exception {
    CompletableFuture<byte[]> bytes = new CompletableFuture<>();
    coordinator.checkpointCoordinator(5, bytes);
    return bytes.get();
  }

  @Test
  @Timeout(20)
  void shouldGoOnLookingAfterALookThatFailed() throws Exception {
    Looks looks = new Looks();
    RulesCoordinator coordinator = coordinator(SUBMITTED, looks);
    coordinator.executionAttemptReady(0, 0, subtask);

    coordinator.start();
    while (coordinator.version() < 2) {
      Thread.sleep(10);
    }
    coordinator.close();

    assertThat(subtask.told.getLast())
        .isEqualTo(new RulesEvent(new RulesText(2, "2", rules("drop"))));
    assertThat(context.looksFailed.getCount()).isEqualTo(1);
    assertThat(context.refused.getCount()).isEqualTo(1);
    assertThat(Looks.OPENED).hasSize(1);
    while (!Looks.OPENED.getFirst().closed) {
      Thread.sleep(10);
    }
  }

  /** The whole job begins again with a checkpoint from before rules that the watch has seen. */
  @Test
  @Timeout(20)
  void shouldLookAgainAtWhatItsCheckpointDoesNotKnow(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), rules("drop"));
    RulesCoordinator coordinator = coordinator(SUBMITTED, FileWatch.of(file));
    byte[] before = checkpoint(coordinator);
    coordinator.start();
    awaitVersion(coordinator, 2);

    coordinator.resetToCheckpoint(5, before);
    awaitVersion(coordinator, 2);
    coordinator.executionAttemptReady(0, 1, subtask);
    checkpoint(coordinator);
    coordinator.close();

    assertThat(((RulesEvent) subtask.told.getLast()).rules().text()).isEqualTo(rules("drop"));
  }

  @Test
  @Timeout(20)
  void shouldPutGoodRulesInForceWhenWhatTheyNeedIsThere(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), rules("drop"));
    Topic.IS_THERE.set(false);
    Topic.CLOSED.set(0);
    LiveRules rules =
        LiveRules.fixed(SUBMITTED, _ -> {}).watching(FileWatch.of(file)).needing(new Topic());
    RulesCoordinator coordinator = new RulesCoordinator(rules, context);
    coordinator.executionAttemptReady(0, 0, subtask);
    coordinator.start();
    long asked = Topic.ASKED.get();
    while (Topic.ASKED.get() < asked + 4) {
      Thread.sleep(10);
    }
    assertThat(toldVersions()).containsExactly(1L);
    assertThat(context.refused.getCount()).isZero();
    assertThat(context.looksFailed.getCount()).isPositive();
    assertThat(Topic.CLOSED).hasValue(0);

    // Whoever begins again asks anew, of what waited before, too.
    coordinator.resetToCheckpoint(5, checkpoint(coordinator));
    awaitClosed(1);

    Topic.IS_THERE.set(true);
    awaitVersion(coordinator, 2);
    awaitClosed(2);
    coordinator.close();

    assertThat(((RulesEvent) subtask.told.getLast()).rules().text()).isEqualTo(rules("drop"));
  }

  @Test
  @Timeout(20)
  void shouldRefuseTheOldestOfMoreThanMayWait() throws Exception {
    Topic.IS_THERE.set(false);
    LiveRules rules = LiveRules.fixed(SUBMITTED, _ -> {}).watching(new Many()).needing(new Topic());
    RulesCoordinator coordinator = new RulesCoordinator(rules, context);
    coordinator.start();
    while (context.refused.getCount() < 2) {
      Thread.sleep(10);
    }
    coordinator.close();
    assertThat(context.refused.getCount()).isEqualTo(2);
  }

  /** Finds two sets more than may wait, once. */
  private record Many() implements RulesWatch {
    @Override
    public Looking begin() {
      List<WrittenRules> all =
          IntStream.range(0, WaitingRules.MOST + 2)
              .mapToObj(number -> written("" + number, "drop"))
              .toList();
      Deque<List<WrittenRules>> found = new ArrayDeque<>(List.of(all));
      return new Looking() {
        @Override
        public List<WrittenRules> look() {
          return found.isEmpty() ? List.of() : found.poll();
        }

        @Override
        public void close() {}
      };
    }
  }

  /**
   * They were in force when the topic was there, and an older good set must not take their place.
   */
  @Test
  @Timeout(20)
  void shouldNotAskWhatTheRulesInForceNeed() throws Exception {
    Topic.IS_THERE.set(false);
    long asked = Topic.ASKED.get();
    LiveRules rules =
        LiveRules.fixed(SUBMITTED, _ -> {}).watching(new AgainInForce()).needing(new Topic());
    RulesCoordinator coordinator = new RulesCoordinator(rules, context);
    AgainInForce.LOOKS.set(0);
    coordinator.executionAttemptReady(0, 0, subtask);
    coordinator.start();
    while (AgainInForce.LOOKS.get() < 2) {
      Thread.sleep(10);
    }
    coordinator.close();

    assertThat(Topic.ASKED).hasValue(asked);
    assertThat(toldVersions()).containsExactly(1L);
  }

  /** Finds an older set and that which is in force, once. */
  private record AgainInForce() implements RulesWatch {
    static final AtomicLong LOOKS = new AtomicLong();

    @Override
    public Looking begin() {
      return new Looking() {
        @Override
        public List<WrittenRules> look() {
          return LOOKS.getAndIncrement() > 0
              ? List.of()
              : List.of(
                  written("older", "drop"),
                  new WrittenRules("newest", SUBMITTED.text().getBytes(UTF_8)));
        }

        @Override
        public void close() {}
      };
    }
  }

  /** At every second look nobody can say whether it is there. */
  private record Topic() implements RulesNeeds {
    static final AtomicBoolean IS_THERE = new AtomicBoolean();
    static final AtomicLong ASKED = new AtomicLong();
    static final AtomicLong CLOSED = new AtomicLong();

    @Override
    public Asking begin() {
      return new Asking() {
        @Override
        public Optional<String> missing(RuleSet rules) throws IOException {
          if (ASKED.incrementAndGet() % 2 == 0) {
            throw new IOException("nobody answers");
          }
          return IS_THERE.get() ? Optional.empty() : Optional.of("there is no topic");
        }

        @Override
        public void close() {
          CLOSED.incrementAndGet();
        }
      };
    }
  }

  private static void awaitClosed(long times) throws InterruptedException {
    while (Topic.CLOSED.get() < times) {
      Thread.sleep(10);
    }
  }

  private static void awaitVersion(RulesCoordinator coordinator, long version)
      throws InterruptedException {
    while (coordinator.version() < version) {
      Thread.sleep(10);
    }
  }

  /** Fails first, then finds several at once, the newest of which is bad. */
  private record Looks() implements RulesWatch {
    static final Deque<OneLook> OPENED = new ConcurrentLinkedDeque<>();

    @Override
    public Looking begin() {
      OneLook look = new OneLook();
      OPENED.add(look);
      return look;
    }
  }

  private static final class OneLook implements RulesWatch.Looking {
    private final Deque<List<WrittenRules>> found =
        new ArrayDeque<>(
            List.of(List.of(written("1", "histogram"), written("2", "drop"), written("3", "fly"))));
    private boolean hasFailed;
    volatile boolean closed;

    @Override
    public List<WrittenRules> look() throws IOException {
      if (!hasFailed) {
        hasFailed = true;
        throw new IOException("gone");
      }
      return found.isEmpty() ? List.of() : found.poll();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class Subtask implements SubtaskGateway {
    final List<OperatorEvent> told = new ArrayList<>();

    @Override
    public CompletableFuture<Acknowledge> sendEvent(OperatorEvent event) {
      told.add(event);
      return CompletableFuture.completedFuture(Acknowledge.get());
    }

    @Override
    public ExecutionAttemptID getExecution() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int getSubtask() {
      return 0;
    }
  }

  /** Of the coordinator's surroundings only metrics and class loader are asked for. */
  private static final class Context implements OperatorCoordinator.Context {
    final Counter refused = new SimpleCounter();
    final Counter looksFailed = new SimpleCounter();

    @Override
    public OperatorCoordinatorMetricGroup metricGroup() {
      return new Metrics(Map.of("rulesRefused", refused, "rulesLooksFailed", looksFailed));
    }

    @Override
    public ClassLoader getUserCodeClassloader() {
      return Context.class.getClassLoader();
    }

    @Override
    public JobID getJobID() {
      throw new UnsupportedOperationException();
    }

    @Override
    public OperatorID getOperatorId() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void failJob(Throwable cause) {
      throw new AssertionError(cause);
    }

    @Override
    public int currentParallelism() {
      return 1;
    }

    @Override
    public CoordinatorStore getCoordinatorStore() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConcurrentExecutionAttemptsSupported() {
      return false;
    }

    @Override
    public CheckpointCoordinator getCheckpointCoordinator() {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Metrics extends UnregisteredMetricsGroup
      implements OperatorCoordinatorMetricGroup {
    private final Map<String, Counter> counters;

    Metrics(Map<String, Counter> counters) {
      this.counters = counters;
    }

    @Override
    public Counter counter(String name) {
      return counters.get(name);
    }
  }
}
