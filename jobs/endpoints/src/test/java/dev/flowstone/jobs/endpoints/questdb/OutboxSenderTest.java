// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.results.LineResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class OutboxSenderTest {
  private final ResultCounters counters = ResultCounters.in(new UnregisteredMetricsGroup());
  private final Outbox outbox =
      new Outbox(new ResultMemory(8 << 20), WhenFull.DROP, true, counters, new DeadLetterLog());
  private final List<String> written = Collections.synchronizedList(new ArrayList<>());

  private final class ShortOutage implements ChunkStore {
    private int failuresLeft = 2;

    @Override
    public int write(LineChunk chunk) throws StoreAwayException {
      if (failuresLeft-- > 0) {
        throw new StoreAwayException("away");
      }
      written.add(chunk.firstLine());
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldTryAgainInOrderAndCount() throws Exception {
    OutboxSender sender = new OutboxSender("sender", outbox, new ShortOutage());
    sender.start();
    outbox.add(new LineResult("a", "first\n"));
    outbox.begin(1);
    outbox.add(new LineResult("a", "second\n"));
    outbox.begin(2);
    outbox.complete(2);
    assertThat(outbox.awaitSent(Duration.ofSeconds(10))).isTrue();
    sender.stop();
    assertThat(written).containsExactly("first", "second");
    assertThat(counters.commitRetries().getCount()).isEqualTo(2);
    assertThat(counters.written().getCount()).isEqualTo(2);
  }

  /** Of one table it takes nothing until others have been written three times. */
  private final class BrokenTable implements ChunkStore {
    private int others;

    @Override
    public int write(LineChunk chunk) throws StoreAwayException {
      if (chunk.table().equals("broken") && others < 3) {
        throw new TableAwayException("corrupt");
      }
      others++;
      written.add(chunk.firstLine());
      return 0;
    }

    @Override
    public void close() {}
  }

  @Test
  void shouldSendWhatIsForOtherTables() throws Exception {
    for (int round = 1; round <= 3; round++) {
      outbox.add(new LineResult("broken", "broken %d\n".formatted(round)));
      outbox.add(new LineResult("sound", "sound %d\n".formatted(round)));
      outbox.begin(round);
    }
    outbox.complete(3);
    OutboxSender sender = new OutboxSender("sender", outbox, new BrokenTable());
    sender.start();
    assertThat(outbox.awaitSent(Duration.ofSeconds(10))).isTrue();
    sender.stop();
    assertThat(written)
        .containsExactly("sound 1", "sound 2", "sound 3", "broken 1", "broken 2", "broken 3");
  }

  /** Or it would wait for room that never comes. */
  @Test
  void shouldSayThatItIsAtItsEnd() throws Exception {
    ChunkStore wrong =
        new ChunkStore() {
          @Override
          public int write(LineChunk chunk) {
            throw new IllegalStateException("a mistake");
          }

          @Override
          public void close() {}
        };
    outbox.add(new LineResult("a", "first\n"));
    outbox.begin(1);
    outbox.complete(1);
    OutboxSender sender = new OutboxSender("sender", outbox, wrong);
    sender.start();
    assertThatThrownBy(() -> outbox.awaitSent(Duration.ofSeconds(10)))
        .hasRootCauseMessage("a mistake");
    sender.stop();
  }

  @Test
  void shouldPauseLongerAndLongerUpToALimit() {
    assertThat(OutboxSender.pause(0)).isEqualTo(Duration.ofMillis(100));
    assertThat(OutboxSender.pause(3)).isEqualTo(Duration.ofMillis(800));
    assertThat(OutboxSender.pause(1_000_000)).isEqualTo(Duration.ofSeconds(2));
  }
}
