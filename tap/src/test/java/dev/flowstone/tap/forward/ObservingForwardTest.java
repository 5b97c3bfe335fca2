// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.SenderRun;
import dev.flowstone.tap.receive.ReceiveOptions;
import dev.flowstone.tap.receive.Reception;
import dev.flowstone.tap.receive.RingMaker;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sender that the tap does not wait for, and that is too slow: what it copies is written over.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ObservingForwardTest {
  private static final int SENT_SLOTS_LOG2 = 10;
  private static final int RECEIVED_SLOTS_LOG2 = 16;
  private static final int BATCHES = 20_000;
  private static final int PACKETS = 100;
  private static final long GAP_NS = 2_000_000;
  private static final InetSocketAddress SOMEWHERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

  @TempDir Path folder;

  private record Rings(RingDirectory directory) implements RingMaker {
    @Override
    public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
      return RingSetWriter.create(
          directory,
          new RingSpecification(
              ringCount, RECEIVED_SLOTS_LOG2, clock, maxParallelism, "receive", Optional.empty()),
          WhenFull.DROP);
    }
  }

  @Test
  void shouldSendNoPacketThatIsNotWholeAndTellTheOthers() throws Exception {
    ReaderName name = ReaderName.of("forward");
    Rings received = new Rings(new RingDirectory(folder.resolve("received")));
    try (NumberedTap tap = new NumberedTap(folder.resolve("sent"), 1, SENT_SLOTS_LOG2);
        DatagramBuffer buffer = new DatagramBuffer();
        Reception reception =
            new Reception(received, new ReceiveOptions(8, Duration.ofMillis(5)), _ -> {}, _ -> {});
        NumberedRings job = new NumberedRings(received.directory(), tap);
        ForwardedRing ring =
            new ForwardedRing(
                tap.directory.ringFile(0),
                new ForwardOptions(tap.directory, name, true, true),
                SenderRun.begin(name),
                PACKETS,
                datagram -> carry(datagram, buffer, reception))) {
      ring.step(System.nanoTime(), true);
      job.read(1);
      Thread writer = Thread.ofPlatform().start(() -> write(tap));
      while (!ring.isEnded()) {
        ring.step(System.nanoTime(), true);
        job.read(1);
      }
      writer.join();
      ring.sayLast();
      reception.end();
      job.read(1);
      assertThat(job.packets()).as("some came").isPositive();
      assertThat(job.lost()).as("it was too slow").isPositive();
      assertThat(job.packets() + job.lost()).isEqualTo(tap.offeredPackets());
    }
  }

  private static void write(NumberedTap tap) {
    for (int i = 0; i < BATCHES; i++) {
      tap.write(PACKETS, GAP_NS);
    }
    tap.end();
  }

  private static boolean carry(ByteBuffer datagram, DatagramBuffer buffer, Reception reception) {
    int lengthBytes = datagram.remaining();
    buffer.toFill().put(datagram);
    reception.accept(buffer, lengthBytes, SOMEWHERE, System.nanoTime());
    return true;
  }
}
