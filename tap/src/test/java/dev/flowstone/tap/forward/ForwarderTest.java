// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.tap.datagram.DatagramHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForwarderTest {
  @TempDir Path folder;

  private Forwarder open() {
    return open(_ -> true, 0);
  }

  private Forwarder open(DatagramOutput output, long helloNs) {
    ForwardOptions options =
        new ForwardOptions(new RingDirectory(folder), ReaderName.of("forward"), false, true);
    return Forwarder.open(options, 10, output, OptionalDouble.empty(), helloNs);
  }

  /** A network that says after some last words that nobody listens any more. */
  private static final class Recording implements DatagramOutput {
    private static final int HEARD_WORDS = 3;

    private final List<Integer> kinds = new ArrayList<>();
    private int lastWords;
    private boolean isSayingLast;

    @Override
    public boolean send(ByteBuffer datagram) {
      kinds.add(DatagramHeader.kind(MemorySegment.ofBuffer(datagram), 0));
      lastWords += isSayingLast ? 1 : 0;
      return true;
    }

    @Override
    public void beginLastWords() {
      isSayingLast = true;
    }

    @Override
    public boolean areLastWordsHeard() {
      return lastWords == HEARD_WORDS;
    }
  }

  @Test
  void shouldSayHelloFirstAndLastWordsUntilTheyAreHeard() {
    Recording output = new Recording();
    try (NumberedTap tap = new NumberedTap(folder, 1, 10)) {
      tap.write(5, 1000);
      tap.end();
      try (Forwarder forwarder = open(output, TimeUnit.MILLISECONDS.toNanos(1))) {
        forwarder.run();
      }
    }
    assertThat(output.kinds)
        .startsWith(DatagramKind.HELLO)
        .containsOnlyOnce(DatagramKind.PACKETS)
        .endsWith(DatagramKind.HEARTBEAT);
    assertThat(output.lastWords).isEqualTo(Recording.HEARD_WORDS);
  }

  @Test
  void shouldSayThatThereAreNoRings() {
    assertThatThrownBy(this::open).hasMessageContaining("no ring files there; start a tap first");
  }

  @Test
  void shouldRefuseATapThatLacksRings() throws IOException {
    try (NumberedTap tap = new NumberedTap(folder, 3, 10)) {
      Files.delete(tap.directory.ringFile(1));
      assertThatThrownBy(this::open).hasMessageContaining("2 ring files of a tap that has 3");
      try (RingFile ring = RingFile.open(tap.directory.ringFile(0))) {
        assertThat(ring.lanes().occupants()).as("it holds no space").isEmpty();
      }
    }
  }

  @Test
  void shouldRefuseATapWithKeyGroupsInAnOrderOfItsOwn() throws IOException {
    try (NumberedTap tap = new NumberedTap(folder, 2, 10)) {
      try (FileChannel file =
          FileChannel.open(tap.directory.ringFile(1), StandardOpenOption.WRITE)) {
        file.write(
            ByteBuffer.wrap(new byte[] {1}), RingFileHeaderLayout.KEY_GROUP_TABLE_OFFSET + 5);
      }
      assertThatThrownBy(this::open)
          .hasMessageContaining("spreads key groups over its rings in a way of its own");
    }
  }
}
