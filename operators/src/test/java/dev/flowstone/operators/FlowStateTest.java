// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.operators.KeyGroupState;
import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.offheap.flows.FlowTablePages;
import dev.flowstone.offheap.flows.FlowTableSize;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of a checkpoint's stream that is not as it was written. */
class FlowStateTest {
  private static final FlowStateFormat FORMAT = new FlowStateFormat("test", 1, 8);
  private static final int FIRST_KEY_GROUP = 5;

  /** All of a page that is zero. */
  private static final int MASK_BYTES = 64;

  private final FlowTable table =
      new FlowTable(new FlowTableSize(FORMAT.stateBytes(), 100), FIRST_KEY_GROUP, 2, 128);
  private final FlowTablePages pages = new FlowTablePages(table);
  private final HeapPages cold = new HeapPages();
  private final FlowState state =
      new FlowState(
          pages,
          FORMAT,
          new KeyGroupState(KeyGroupRange.of(FIRST_KEY_GROUP, FIRST_KEY_GROUP + 1), 128),
          _ -> {},
          cold,
          () -> 0);

  @AfterEach
  void end() {
    table.close();
  }

  /** A group's stream of so many pages, if this is what it says. */
  private byte[] stream(int pageCount) {
    FlowPageHeader header = new FlowPageHeader(FORMAT, pages.contentBytes());
    byte[] stream =
        header.before(Integer.BYTES + Math.max(0, pageCount) * (2 * Integer.BYTES + MASK_BYTES));
    ByteBuffer buffer = ByteBuffer.wrap(stream).position(header.sizeBytes()).putInt(pageCount);
    if (pageCount > 0) {
      buffer.putInt(0).putInt(MASK_BYTES);
    }
    return stream;
  }

  private void restore(byte[] stream) throws Exception {
    state.restore(1, new ByteArrayInputStream(stream));
  }

  @Test
  void shouldSayWhichKeyGroupsStreamWasCutOff() throws Exception {
    byte[] whole = stream(1);
    for (int length : new int[] {0, 10, 51, whole.length - 1}) {
      assertThatThrownBy(() -> restore(Arrays.copyOf(whole, length)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the state's flows of key group 6 are damaged, they end too soon: restore from"
                  + " another checkpoint");
    }
    restore(whole);
  }

  @Test
  void shouldRefuseAPageThatCannotBe() {
    byte[] stream = stream(1);
    // It says that a word follows, and none does.
    stream[stream.length - MASK_BYTES] = 1;
    assertThatThrownBy(() -> restore(stream))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("key group 6 are damaged, page 0 cannot be of 64 bytes");
    for (int length : new int[] {-1, 5_000}) {
      ByteBuffer.wrap(stream).putInt(stream.length - MASK_BYTES - Integer.BYTES, length);
      assertThatThrownBy(() -> restore(stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("key group 6 are damaged, page 0 has " + length + " bytes");
    }
  }

  /** Flows of some other page would come back in its place. */
  @Test
  void shouldRefuseAPageThatIsNotInKeyedStateAsItLeftMemory() {
    byte[] content = new byte[pages.contentBytes()];
    FlowPageHeader header = new FlowPageHeader(FORMAT, pages.contentBytes());
    cold.put(3, header.before(MASK_BYTES));
    state.read(1, 3, content);
    // It says that a word follows, and none does.
    cold.get(3)[header.sizeBytes()] = 1;
    for (int number : new int[] {2, 3}) {
      assertThatThrownBy(() -> state.read(1, number, content))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "key group 6 are damaged, page " + number + " is not as it was saved");
    }
  }

  @Test
  void shouldRefuseANumberOfPagesThatCannotBe() {
    assertThatThrownBy(() -> restore(stream(-3)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("key group 6 are damaged, there are -3 pages");
  }
}
