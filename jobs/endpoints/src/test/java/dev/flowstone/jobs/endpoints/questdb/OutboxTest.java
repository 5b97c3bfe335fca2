// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.results.LineResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class OutboxTest {
  /** What a single owner may hold, half of the memory. */
  private static final int ROOM_BYTES = 4 << 20;

  private static final LineResult LARGE = line("large", Outbox.CHUNK_BYTES);
  private static final Duration AT_ONCE = Duration.ZERO;

  private final ResultMemory memory = new ResultMemory(2 * ROOM_BYTES);
  private final ResultCounters counters = ResultCounters.in(new UnregisteredMetricsGroup());

  private Outbox outbox(WhenFull whenFull, boolean awaitsCheckpoints) {
    return new Outbox(memory, whenFull, awaitsCheckpoints, counters, new DeadLetterLog());
  }

  private static LineResult line(String table, int bytes) {
    return new LineResult(table, "x".repeat(bytes - 1) + "\n");
  }

  private static void addLarge(Outbox outbox, int count) throws Exception {
    for (int large = 0; large < count; large++) {
      outbox.add(LARGE);
    }
  }

  /** A thread that adds a large result, and what comes of it. */
  private record Adding(Thread thread, CompletableFuture<Void> result) {
    /** Returns when it waits in the outbox. */
    void awaitWait() {
      while (thread.getState() != Thread.State.WAITING) {
        assertThat(result).isNotDone();
        Thread.onSpinWait();
      }
    }

    void await() throws Exception {
      result.get(10, TimeUnit.SECONDS);
    }
  }

  private static Adding addLater(Outbox outbox) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    outbox.add(LARGE);
                    result.complete(null);
                  } catch (IOException | InterruptedException e) {
                    result.completeExceptionally(e);
                  }
                });
    return new Adding(thread, result);
  }

  private void assertBalance(Outbox outbox, long received, long written, long dead)
      throws IOException {
    assertThat(counters.received().getCount()).as("received").isEqualTo(received);
    assertThat(counters.written().getCount()).as("written").isEqualTo(written);
    assertThat(counters.deadLettered().getCount()).as("dead letters").isEqualTo(dead);
    assertThat(outbox.waiting()).as("waiting").isEqualTo(received - written - dead);
    long inState = outbox.unsent().stream().mapToLong(LineChunk::count).sum();
    assertThat(inState).as("in a checkpoint").isEqualTo(outbox.waiting());
    assertThat(counters.unconfirmed().count()).as("may leave").isBetween(0L, outbox.waiting());
  }

  @Test
  void shouldLetResultsLeaveAfterTheirCheckpointAlone() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.add(line("a", 10));
    outbox.begin(1);
    outbox.add(line("a", 20));
    assertThat(outbox.awaitSent(AT_ONCE)).as("nothing may leave").isTrue();

    outbox.complete(1);
    assertThat(outbox.take().lines()).hasSize(10);
    outbox.sent(0);
    assertThat(outbox.awaitSent(AT_ONCE)).as("the other may not leave").isTrue();

    outbox.begin(2);
    outbox.add(line("b", 30));
    outbox.begin(3);
    // Of checkpoint 2 nobody was told.
    outbox.complete(3);
    assertThat(outbox.take().lines()).hasSize(20);
    outbox.sent(0);
    assertThat(outbox.take().lines()).hasSize(30);
    outbox.sent(1);
    assertBalance(outbox, 3, 2, 1);
    assertThat(outbox.unsentBytes()).isZero();
  }

  @Test
  void shouldLetResultsOfAnAbortedCheckpointLeaveWithTheNext() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.add(line("a", 10));
    outbox.begin(1);
    outbox.abort(1);
    outbox.add(line("a", 20));
    outbox.begin(2);
    outbox.complete(2);
    assertThat(outbox.take().lines()).hasSize(10);
    outbox.sent(0);
    assertThat(outbox.take().lines()).hasSize(20);
  }

  @Test
  void shouldKeepInTheStateWhatIsUnderWay() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.add(line("a", 10));
    outbox.begin(1);
    outbox.complete(1);
    LineChunk taken = outbox.take();
    outbox.add(line("b", 20));
    outbox.begin(2);
    assertThat(outbox.unsent()).hasSize(2).startsWith(taken);
    outbox.failed("away");
    assertThat(outbox.unsent()).hasSize(2).startsWith(taken);
    assertThat(outbox.take()).isSameAs(taken);
    assertThat(counters.commitRetries().getCount()).isEqualTo(1);
  }

  @Test
  void shouldDropTheOldestWhenTheStoreIsAway() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.add(line("first", 10));
    outbox.begin(1);
    outbox.complete(1);
    outbox.take();
    outbox.failed("away");
    addLarge(outbox, 6);
    outbox.begin(2);
    assertBalance(outbox, 7, 0, 3);
    assertThat(outbox.unsentBytes()).isEqualTo(ROOM_BYTES);
    outbox.complete(2);
    assertThat(outbox.take().table()).isEqualTo("large");
  }

  @Test
  void shouldLetOtherTablesGoBeforeOneThatFails() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    for (int round = 1; round <= 3; round++) {
      outbox.add(line("broken", 10 + round));
      outbox.add(line("sound", 20 + round));
      outbox.begin(round);
    }
    outbox.complete(2);
    assertThat(outbox.take().lines()).hasSize(11);
    outbox.tableFailed("why");
    assertThat(outbox.lastFailure()).isEqualTo("why");
    assertThat(outbox.failingTables()).isEqualTo(1);
    assertThat(sizesOf(outbox.unsent())).containsExactly(21, 22, 11, 12, 13, 23);
    outbox.take();
    outbox.sent(0);
    outbox.take();
    outbox.sent(0);
    assertThat(outbox.take().lines()).hasSize(11);
    outbox.tableFailed("why");
    assertThat(outbox.take().lines()).as("of one table in their order").hasSize(11);
    outbox.sent(0);
    assertThat(outbox.take().lines()).hasSize(12);
    outbox.sent(0);
    assertThat(outbox.awaitSent(AT_ONCE)).as("the rest waits for checkpoint 3").isTrue();
    assertBalance(outbox, 6, 4, 0);
  }

  private static List<Integer> sizesOf(List<LineChunk> chunks) {
    return chunks.stream().map(chunk -> chunk.lines().length).toList();
  }

  private Outbox fullOfOneThatFails(WhenFull whenFull) throws Exception {
    Outbox outbox = outbox(whenFull, true);
    outbox.add(line("broken", 10));
    outbox.begin(1);
    outbox.complete(1);
    outbox.take();
    outbox.tableFailed("why");
    addLarge(outbox, 3);
    return outbox;
  }

  /** What others wait for is room that they make themselves. */
  @Test
  void shouldNotDropWhileTablesThatTakeResultsHaveSome() throws Exception {
    Outbox outbox = fullOfOneThatFails(WhenFull.DROP);
    outbox.begin(2);
    outbox.complete(2);
    Adding adding = addLater(outbox);
    adding.awaitWait();
    outbox.take();
    outbox.tableFailed("why");
    adding.awaitWait();
    outbox.take();
    outbox.sent(0);
    adding.await();
    outbox.begin(3);
    assertBalance(outbox, 5, 1, 0);
  }

  @Test
  void shouldDropTheOldestOfTheTableThatFails() throws Exception {
    Outbox outbox = fullOfOneThatFails(WhenFull.DROP);
    outbox.add(LARGE);
    outbox.begin(2);
    assertThat(outbox.unsent()).extracting(LineChunk::table).containsOnly("large");
    assertBalance(outbox, 5, 0, 1);
    assertThat(counters.unconfirmed().count()).as("the one that may leave is gone").isZero();
  }

  @Test
  void shouldFailForATableThatFailsIfItIsTo() throws Exception {
    Outbox outbox = fullOfOneThatFails(WhenFull.FAIL);
    assertThatThrownBy(() -> outbox.add(LARGE))
        .hasMessageContaining("wait for QuestDB, which cannot write to broken, and");
  }

  /** Chunks behind those that are left out leave with their own checkpoint, and not before. */
  @Test
  void shouldKeepCheckpointsApartWhenSomethingIsDropped() throws Exception {
    Outbox outbox = fullOfOneThatFails(WhenFull.DROP);
    outbox.begin(2);
    outbox.add(LARGE);
    outbox.begin(3);
    outbox.complete(2);
    for (int large = 0; large < 3; large++) {
      outbox.take();
      outbox.sent(0);
    }
    assertThat(outbox.awaitSent(AT_ONCE)).as("the rest waits for checkpoint 3").isTrue();
    outbox.complete(3);
    assertThat(outbox.take().table()).isEqualTo("large");
  }

  @Test
  void shouldFailWhoeverWaitsForRoomWhenNothingIsSentAnyMore() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, false);
    addLarge(outbox, 4);
    outbox.take();
    Adding adding = addLater(outbox);
    adding.awaitWait();
    outbox.end(new IllegalStateException("why"));
    assertThatThrownBy(() -> adding.await()).hasRootCauseMessage("why");
  }

  @Test
  void shouldFailWhoeverWaitsWhenNothingIsSentAnyMore() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, false);
    outbox.add(line("a", 10));
    outbox.letAllLeave();
    outbox.take();
    outbox.end(new IllegalStateException("why"));
    assertThatThrownBy(() -> outbox.awaitSent(Duration.ofMinutes(1)))
        .hasMessage("no results are sent to QuestDB any more")
        .hasRootCauseMessage("why");
    assertThatThrownBy(() -> outbox.add(line("a", 10))).hasRootCauseMessage("why");
    assertThatThrownBy(outbox::unsent).as("a checkpoint").hasRootCauseMessage("why");
  }

  /** Between two checkpoints there may be more results than there is room. */
  @Test
  void shouldLetTheOldestLeaveBeforeTheirCheckpointIfTheStoreAnswers() throws Exception {
    Outbox outbox = outbox(WhenFull.FAIL, true);
    addLarge(outbox, 4);
    Adding adding = addLater(outbox);
    assertThat(outbox.take().table()).isEqualTo("large");
    assertThat(adding.result()).isNotDone();
    outbox.sent(0);
    adding.await();
    assertThat(counters.sentEarly().getCount()).isOne();
    outbox.begin(1);
    assertBalance(outbox, 5, 1, 0);
    outbox.complete(1);
    for (int large = 0; large < 4; large++) {
      outbox.take();
      outbox.sent(0);
    }
    assertThat(outbox.awaitSent(AT_ONCE)).isTrue();
    assertBalance(outbox, 5, 5, 0);
    assertThat(counters.unconfirmed().count()).isZero();
    assertThat(memory.heldBytes()).isZero();
  }

  /** Others have all the memory, and this one's only chunk is in flight to a store that is away. */
  @Test
  void shouldTakeAResultThoughOnlyAChunkInFlightIsLeft() throws Exception {
    ResultMemory scarce = new ResultMemory(4 * Outbox.CHUNK_BYTES);
    for (int owner = 0; owner < 3; owner++) {
      scarce.addOwner();
    }
    Outbox outbox = new Outbox(scarce, WhenFull.DROP, true, counters, new DeadLetterLog());
    outbox.add(LARGE);
    outbox.begin(1);
    outbox.complete(1);
    outbox.take();
    outbox.failed("away");
    outbox.take();
    scarce.hold(4 * Outbox.CHUNK_BYTES);
    outbox.add(LARGE);
    assertThat(outbox.waiting()).isEqualTo(2);
    assertThat(counters.deadLettered().getCount()).isZero();
  }

  @Test
  void shouldGiveItsMemoryBack() throws Exception {
    Outbox closed = outbox(WhenFull.DROP, true);
    addLarge(closed, 3);
    closed.close();
    assertThat(memory.heldBytes()).isZero();
    Outbox next = outbox(WhenFull.FAIL, true);
    addLarge(next, 4);
    assertBalanceAfterCheckpoint(next, 7);
  }

  private void assertBalanceAfterCheckpoint(Outbox outbox, long received) throws IOException {
    outbox.begin(1);
    assertThat(counters.received().getCount()).isEqualTo(received);
    assertThat(counters.sentEarly().getCount()).isZero();
    assertThat(memory.heldBytes()).isEqualTo(outbox.unsentBytes()).isEqualTo(ROOM_BYTES);
  }

  @Test
  void shouldFailWhenItIsFullIfItIsTo() throws Exception {
    Outbox outbox = outbox(WhenFull.FAIL, true);
    outbox.add(LARGE);
    outbox.begin(1);
    outbox.complete(1);
    outbox.take();
    outbox.failed("away");
    addLarge(outbox, 3);
    assertThatThrownBy(() -> outbox.add(LARGE))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "4,194,304 bytes of results wait for QuestDB, which is away, and"
                + " --questdb-buffer-bytes are full");
  }

  @Test
  void shouldWaitForAStoreThatAnswers() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    addLarge(outbox, 4);
    outbox.begin(1);
    outbox.complete(1);
    Adding adding = addLater(outbox);
    assertThat(adding.result()).isNotDone();
    outbox.take();
    outbox.sent(0);
    adding.await();
    outbox.begin(2);
    assertBalance(outbox, 5, 1, 0);
  }

  @Test
  void shouldNotWaitForCheckpointsWhereThereAreNone() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, false);
    outbox.add(LARGE);
    outbox.add(LARGE);
    assertThat(outbox.take().lines()).hasSize(Outbox.CHUNK_BYTES);
    outbox.sent(0);
    outbox.letAllLeave();
    assertThat(outbox.take().lines()).hasSize(Outbox.CHUNK_BYTES);
  }

  @Test
  void shouldTakeOverWhatACheckpointHeld() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.restore(new LineChunk("a", "x\ny\n".getBytes(UTF_8)));
    assertBalance(outbox, 2, 0, 0);
    assertThat(outbox.take().table()).isEqualTo("a");
    outbox.sent(0);
    assertBalance(outbox, 2, 2, 0);
    assertThat(outbox.unsentBytes()).isZero();
  }

  @Test
  void shouldLeaveOutWhatIsTooLongOrNoLine() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    outbox.add(line("a", Outbox.CHUNK_BYTES + 1));
    outbox.addUnwritable("b", "two fields");
    outbox.begin(1);
    assertBalance(outbox, 2, 0, 2);
  }

  @Test
  void shouldSendTheTablesOfOneCheckpointApart() throws Exception {
    Outbox outbox = outbox(WhenFull.DROP, true);
    for (String table : List.of("a", "b", "a")) {
      outbox.add(line(table, 10));
    }
    outbox.begin(1);
    assertThat(outbox.unsent()).extracting(LineChunk::table).containsExactly("a", "b");
    assertThat(outbox.unsent()).extracting(LineChunk::count).containsExactly(2, 1);
  }
}
