// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.DatagramKey;
import dev.flowstone.tap.datagram.SenderRun;
import dev.flowstone.tap.receive.ReceiveOptions;
import dev.flowstone.tap.receive.Reception;
import dev.flowstone.tap.receive.RingMaker;
import dev.flowstone.tap.receive.UdpInput;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Neither end makes an object for a packet, nor one for a datagram that comes in its turn. */
class ForwardAllocationTest {
  private static final int SLOTS_LOG2 = 16;
  private static final int MOST_RECORDS = 138;
  private static final int PACKETS_AT_A_TIME = 10 * MOST_RECORDS;
  private static final int WARM_UP = 1_000;
  private static final int MEASURED = 1_000;

  /** What a compiler that has not finished leaves over: no object is that small. */
  private static final double MOST_BYTES_PER_DATAGRAM = 8;

  /** The 32 bytes that Mac returns, with the header of an array. */
  private static final double TAG_ARRAY_BYTES = 48;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path folder;

  private record Rings(RingDirectory directory) implements RingMaker {
    @Override
    public RingSetWriter make(int ringCount, int maxParallelism, int clock) {
      return RingSetWriter.create(
          directory,
          new RingSpecification(
              ringCount, SLOTS_LOG2, clock, maxParallelism, "receive", Optional.empty()),
          WhenFull.DROP);
    }
  }

  @Test
  void shouldSendAndReceiveWithoutAllocation() {
    requireAllocation(Optional.empty(), MOST_BYTES_PER_DATAGRAM);
  }

  @Test
  void withKey_allocatesOneArrayPerDatagram() {
    requireAllocation(
        Optional.of(DatagramKey.of(new byte[DatagramKey.MIN_BYTES])),
        MOST_BYTES_PER_DATAGRAM + TAG_ARRAY_BYTES);
  }

  private void requireAllocation(Optional<DatagramKey> key, double mostBytesPerDatagram) {
    ReaderName name = ReaderName.of("forward");
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (NumberedTap tap = new NumberedTap(folder.resolve("sent"), 1, SLOTS_LOG2);
        UdpInput input = UdpInput.open(loopback, 1 << 20);
        UdpOutput output =
            UdpOutput.open(
                input.address(), DatagramSize.of(9000, loopback.getAddress()), 1 << 20, _ -> {});
        Reception reception =
            new Reception(
                new Rings(new RingDirectory(folder.resolve("received"))),
                new ReceiveOptions(64, Duration.ofMillis(50), 1, key),
                _ -> {},
                _ -> {});
        DatagramBuffer buffer = new DatagramBuffer();
        ForwardedRing ring =
            new ForwardedRing(
                tap.directory.ringFile(0),
                new ForwardOptions(tap.directory, name, false, false, key),
                SenderRun.begin(name),
                MOST_RECORDS,
                output)) {
      long sending = 0;
      long receiving = 0;
      long datagrams = 0;
      for (int i = 0; i < WARM_UP + MEASURED; i++) {
        tap.write(PACKETS_AT_A_TIME, 10);
        long before = allocated();
        send(ring);
        long between = allocated();
        receive(input, buffer, reception);
        if (i >= WARM_UP) {
          sending += between - before;
          receiving += allocated() - between;
          datagrams += PACKETS_AT_A_TIME / MOST_RECORDS;
        }
      }
      assertThat(reception.counters().packets())
          .as("all was received")
          .isEqualTo(ring.counters().sent())
          .isGreaterThan(tap.offeredPackets() - MOST_RECORDS);
      assertThat(sending / (double) datagrams).as("sent").isLessThan(mostBytesPerDatagram);
      assertThat(receiving / (double) datagrams).as("received").isLessThan(mostBytesPerDatagram);
    }
  }

  private static void send(ForwardedRing ring) {
    while (ring.step(System.nanoTime(), true)) {
      // Something was sent.
    }
  }

  private static void receive(UdpInput input, DatagramBuffer buffer, Reception reception) {
    for (int length = input.receive(buffer);
        length != UdpInput.NOTHING;
        length = input.receive(buffer)) {
      reception.accept(buffer, length, input.source(), System.nanoTime());
    }
    reception.lookAtTime(System.nanoTime());
  }

  private static long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
