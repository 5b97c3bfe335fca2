// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateCheckpointOutputStream;
import org.apache.flink.runtime.state.StateSnapshotContextSynchronousImpl;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory.MemoryCheckpointOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeyGroupWriterTest {
  private static final KeyGroupRange GROUPS = new KeyGroupRange(5, 40);
  private static final int MOST_BYTES = 64 << 20;

  /** Some are more than a piece by themselves, some nothing. */
  private static int wordsOf(int keyGroup) {
    return keyGroup % 7 * 100_000;
  }

  private static void pack(int keyGroup, DataOutputSerializer out) throws IOException {
    for (int i = 0; i < wordsOf(keyGroup); i++) {
      out.writeInt(keyGroup * 1_000_000 + i);
    }
  }

  private static StateSnapshotContextSynchronousImpl checkpoint() {
    return new StateSnapshotContextSynchronousImpl(
        1, 1, new MemCheckpointStreamFactory(MOST_BYTES), GROUPS, new CloseableRegistry());
  }

  private static KeyGroupsStateHandle written(StateSnapshotContextSynchronousImpl checkpoint)
      throws Exception {
    var future = checkpoint.getKeyedStateStreamFuture();
    future.run();
    return (KeyGroupsStateHandle) future.get().getJobManagerOwnedSnapshot();
  }

  @Test
  void shouldWriteEachGroupWhereItIsLookedFor() throws Exception {
    try (KeyGroupWriter writer = new KeyGroupWriter()) {
      for (int i = 0; i < 3; i++) {
        writeAndCheck(writer);
      }
    }
  }

  private static void writeAndCheck(KeyGroupWriter writer) throws Exception {
    StateSnapshotContextSynchronousImpl checkpoint = checkpoint();
    writer.write(GROUPS, checkpoint.getRawKeyedOperatorStateOutput(), KeyGroupWriterTest::pack);
    KeyGroupsStateHandle written = written(checkpoint);
    for (int keyGroup : GROUPS) {
      check(written, keyGroup);
    }
  }

  private static void check(KeyGroupsStateHandle written, int keyGroup) throws IOException {
    try (var stream = written.openInputStream()) {
      stream.seek(written.getOffsetForKeyGroup(keyGroup));
      DataInputStream in = new DataInputStream(stream);
      int last = wordsOf(keyGroup) - 1;
      if (last > 0) {
        assertThat(in.readInt()).isEqualTo(keyGroup * 1_000_000);
        in.skipNBytes(Integer.BYTES * (last - 1L));
        assertThat(in.readInt()).isEqualTo(keyGroup * 1_000_000 + last);
      }
    }
  }

  private static final class FullStream extends MemoryCheckpointOutputStream {
    FullStream() {
      super(MOST_BYTES);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      throw new IOException("no space left");
    }
  }

  /** A checkpoint that its stream does not take fails; the next one is as good as ever. */
  @Test
  void shouldFailWithItsStreamAndGoOn() throws Exception {
    try (KeyGroupWriter writer = new KeyGroupWriter()) {
      KeyedStateCheckpointOutputStream full =
          new KeyedStateCheckpointOutputStream(new FullStream(), GROUPS);
      assertThatThrownBy(() -> writer.write(GROUPS, full, KeyGroupWriterTest::pack))
          .hasRootCauseMessage("no space left");
      writeAndCheck(writer);
    }
  }
}
