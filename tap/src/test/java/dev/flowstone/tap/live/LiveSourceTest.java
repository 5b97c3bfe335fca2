// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.net.PacketSocket;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On the loopback interface; needs CAP_NET_RAW and skips without. */
class LiveSourceTest {
  private static final int DATAGRAMS = 5_000;

  /** The kernel takes a new one every 5 ms: room for 320 ms in which the sender stands still. */
  private static final int BLOCKS = 64;

  private static final int PAYLOAD_BYTES = 111;

  /** Ethernet, IPv4 and UDP headers. */
  private static final int HEADER_BYTES = 14 + 20 + 8;

  private static final long DEADLINE_NS = 10_000_000_000L;
  private static final int ATTEMPTS = 5;
  private static final int MOST_IDLE = 50;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static LiveOptions loopback(int blocks) {
    return LiveOptions.of("lo").withBuffer(blocks, Duration.ofMillis(5)).withPromiscuous(false);
  }

  private static LiveSource open() {
    try {
      return new LiveSource(loopback(BLOCKS));
    } catch (LiveCaptureException e) {
      assumeTrue(
          !(e.getCause() instanceof NativeCallException call
              && call.errno() == PacketSocket.ERRNO_NOT_PERMITTED),
          () -> "SKIPPED: " + e.getMessage());
      throw e;
    }
  }

  /**
   * Sends datagrams to a port nobody else uses and counts the frames that carry them. Other
   * programs use the loopback interface too and may fill the ring: then the kernel must say so, and
   * the test tries again.
   */
  @Test
  void shouldSeeEveryPacketOnceWithItsBytesTimeAndLength() throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (LiveSource source = open();
          DatagramSocket receiver =
              new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
        begin(source);
        long beforeNs = wallNs();
        send(receiver);
        int seen = countOurs(source, receiver.getLocalPort(), beforeNs);
        boolean disturbed = source.counters().lostBeforeTap() > 0;
        assertThat(seen == DATAGRAMS || disturbed).as("%d seen, none dropped", seen).isTrue();
        if (!disturbed) {
          assertThat(source.counters().packets()).isGreaterThanOrEqualTo(DATAGRAMS);
          requireNothingTwice(source.counters().skipped());
          assertThat(source.clock()).isEqualTo(RingClock.WALL);
          return;
        }
      }
    }
    assumeTrue(false, "SKIPPED: the loopback interface is too busy with other programs' packets");
  }

  /** Older kernels show each frame as it leaves, too. */
  private static void requireNothingTwice(long skipped) {
    if (kernelLeavesOutWhatLeaves()) {
      assertThat(skipped).isZero();
    } else {
      assertThat(skipped).isGreaterThanOrEqualTo(DATAGRAMS);
    }
  }

  private static boolean kernelLeavesOutWhatLeaves() {
    String[] release = System.getProperty("os.version").split("\\D", 3);
    int major = Integer.parseInt(release[0]);
    return major > 4 || (major == 4 && Integer.parseInt(release[1]) >= 20);
  }

  /** Capture begins with the first look. */
  private static void begin(LiveSource source) {
    try (RawPacketBatch batch = new RawPacketBatch(1)) {
      source.fill(batch);
    }
  }

  private static long wallNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  private static int countOurs(LiveSource source, int port, long beforeNs) {
    int seen = 0;
    int highest = -1;
    int idle = 0;
    try (RawPacketBatch batch = new RawPacketBatch(64)) {
      long deadlineNs = System.nanoTime() + DEADLINE_NS;
      while (seen < DATAGRAMS && idle < MOST_IDLE && System.nanoTime() < deadlineNs) {
        int count = source.fill(batch);
        idle = count == 0 ? idle + 1 : 0;
        for (int i = 0; i < count; i++) {
          if (isOurs(batch, i, port)) {
            assertThat(number(batch, i)).as("order").isGreaterThan(highest);
            highest = number(batch, i);
            assertThat(batch.wireBytes(i)).isEqualTo(HEADER_BYTES + PAYLOAD_BYTES);
            assertThat(batch.capturedBytes(i)).isEqualTo(HEADER_BYTES + PAYLOAD_BYTES);
            assertThat(batch.linkType(i)).isEqualTo(1);
            assertThat(batch.timeNs(i)).isBetween(beforeNs, wallNs());
            seen++;
          }
        }
      }
    }
    return seen;
  }

  @Test
  void shouldAccumulateKernelDropsAndGoOnAfterwards() throws IOException {
    try (LiveSource source = openWithBlocks(2);
        RawPacketBatch batch = new RawPacketBatch(1024);
        DatagramSocket receiver =
            new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
      begin(source);
      // 5,000 frames of about 4 KiB do not fit in 2 MiB.
      send(receiver, 4000);
      long drops = source.counters().lostBeforeTap();
      assertThat(drops).isPositive();
      if (kernelLeavesOutWhatLeaves()) {
        assertThat(drops).as("each once").isLessThanOrEqualTo(DATAGRAMS);
      }
      assertThat(source.takeLostBeforeTap()).as("told in the stream").isEqualTo(drops);
      assertThat(source.counters().lostBeforeTap()).isGreaterThanOrEqualTo(drops);
      drain(source, batch);
      send(receiver, 10, 100);
      assertThat(drain(source, batch)).isGreaterThanOrEqualTo(10);
    }
  }

  private static LiveSource openWithBlocks(int blocks) {
    open().close();
    return new LiveSource(loopback(blocks));
  }

  /** Reads until nothing came for a while and returns the number of packets. */
  private static int drain(LiveSource source, RawPacketBatch batch) {
    int packets = 0;
    int idle = 0;
    while (idle < 20) {
      int count = source.fill(batch);
      packets += count;
      idle = count == 0 ? idle + 1 : 0;
    }
    return packets;
  }

  /** A tap may wait long for its reader; the kernel must not fill its ring meanwhile. */
  @Test
  void shouldHearNothingBeforeTheFirstLook() throws IOException {
    try (LiveSource source = openWithBlocks(2);
        DatagramSocket receiver =
            new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
      long beforeNs = wallNs();
      send(receiver, 4000);
      assertThat(source.counters().lostBeforeTap()).isZero();
      assertThat(countOurs(source, receiver.getLocalPort(), beforeNs)).isZero();
    }
  }

  @Test
  void shouldTellAnIdleTimeThatNoPacketToComePrecedes() throws IOException {
    try (LiveSource source = open();
        RawPacketBatch batch = new RawPacketBatch(64);
        DatagramSocket receiver =
            new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
      begin(source);
      drain(source, batch);
      long idleNs = source.idleClockNs();
      assertThat(idleNs).isBetween(wallNs() - TimeUnit.SECONDS.toNanos(1), wallNs());
      send(receiver, 1, PAYLOAD_BYTES);
      int count = 0;
      for (int looks = 0; looks < MOST_IDLE && count == 0; looks++) {
        count = source.fill(batch);
      }
      assertThat(count).isPositive();
      assertThat(batch.timeNs(0)).isGreaterThanOrEqualTo(idleNs);
    }
  }

  @Test
  void shouldEndWhenStopped() {
    try (LiveSource source = open();
        RawPacketBatch batch = new RawPacketBatch(64)) {
      assertThat(source.stopCatching()).isTrue();
      assertThat(source.fill(batch)).isEqualTo(PacketSource.END);
      assertThat(source.progress()).isNaN();
    }
  }

  /** The kernel still has them, in blocks that are full and in one that is not. */
  @Test
  void shouldGiveWhatItCaughtBeforeItWasStoppedAndNothingElse() throws IOException {
    try (LiveSource source = open();
        RawPacketBatch batch = new RawPacketBatch(64);
        DatagramSocket receiver =
            new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
      begin(source);
      send(receiver, 200, PAYLOAD_BYTES);
      receive(receiver, 200);
      source.stopCatching();
      send(receiver, 100, PAYLOAD_BYTES);
      int seen = 0;
      for (int count = source.fill(batch); count != PacketSource.END; count = source.fill(batch)) {
        for (int i = 0; i < count; i++) {
          seen += isOurs(batch, i, receiver.getLocalPort()) ? 1 : 0;
        }
      }
      assertThat(seen).isEqualTo(200);
      assertThat(source.counters().lostBeforeTap()).isZero();
    }
  }

  @Test
  void shouldListInterfacesWhenTheNameIsUnknown() {
    open().close();
    assertThatThrownBy(() -> new LiveSource(LiveOptions.of("nonesuch0")))
        .isInstanceOf(LiveCaptureException.class)
        .hasMessageContaining("no interface nonesuch0; there are:")
        .hasMessageContaining("lo");
  }

  @Test
  void shouldRefuseOptionsThatMakeNoSense() {
    assertThatThrownBy(() -> LiveOptions.of(" ")).hasMessageContaining("name of an interface");
    assertThatThrownBy(() -> loopback(1)).hasMessageContaining("blocks=1");
    assertThatThrownBy(() -> LiveOptions.of("lo").withBuffer(2, Duration.ZERO))
        .hasMessageContaining("retire=PT0S");
  }

  private static void send(DatagramSocket receiver) throws IOException {
    send(receiver, PAYLOAD_BYTES);
  }

  private static void send(DatagramSocket receiver, int payloadBytes) throws IOException {
    send(receiver, DATAGRAMS, payloadBytes);
  }

  private static void send(DatagramSocket receiver, int count, int payloadBytes)
      throws IOException {
    byte[] payload = new byte[payloadBytes];
    try (DatagramSocket sender = new DatagramSocket()) {
      for (int i = 0; i < count; i++) {
        payload[0] = (byte) (i >>> 8);
        payload[1] = (byte) i;
        sender.send(new DatagramPacket(payload, payloadBytes, receiver.getLocalSocketAddress()));
      }
    }
  }

  /** What has come so far has also passed the capture. */
  private static void receive(DatagramSocket receiver, int count) throws IOException {
    DatagramPacket datagram = new DatagramPacket(new byte[PAYLOAD_BYTES], PAYLOAD_BYTES);
    receiver.setSoTimeout(2_000);
    for (int i = 0; i < count; i++) {
      receiver.receive(datagram);
    }
  }

  private static boolean isOurs(RawPacketBatch batch, int index, int port) {
    MemorySegment frames = batch.base();
    long frame = batch.dataOffset(index);
    return batch.capturedBytes(index) >= HEADER_BYTES
        && frames.get(ValueLayout.JAVA_BYTE, frame + 23) == 17
        && Short.toUnsignedInt(frames.get(SHORT, frame + 36)) == port;
  }

  private static int number(RawPacketBatch batch, int index) {
    return Short.toUnsignedInt(batch.base().get(SHORT, batch.dataOffset(index) + HEADER_BYTES));
  }
}
