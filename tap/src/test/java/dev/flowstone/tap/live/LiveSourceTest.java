// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.RingClock;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Capture on a loopback interface that no other program uses. The kernel must not show the frames
 * that leave, which Linux supports since 4.20.
 */
@ExtendWith(OwnNetwork.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LiveSourceTest {
  private static final int DATAGRAMS = 1_000;

  /** Fewer than blocks: also if each is the only one of its block, the kernel drops none. */
  private static final int DATAGRAMS_AT_A_TIME = 50;

  private static final int BLOCKS = 64;

  /** Of 2 MiB. */
  private static final int FEW_BLOCKS = 2;

  /** With large payloads more than a few blocks hold. */
  private static final int TOO_MANY_DATAGRAMS = 1_000;

  private static final Duration RETIRE = Duration.ofMillis(5);
  private static final int PAYLOAD_BYTES = 111;
  private static final int LARGE_PAYLOAD_BYTES = 4_000;

  /** Ethernet, IPv4 and UDP headers. */
  private static final int HEADER_BYTES = 14 + 20 + 8;

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static LiveOptions loopback(int blocks) {
    return LiveOptions.of("lo").withBuffer(blocks, RETIRE).withPromiscuous(false);
  }

  private static LiveSource open() {
    return new LiveSource(loopback(BLOCKS));
  }

  private static LiveSource openSmall() {
    return new LiveSource(loopback(FEW_BLOCKS));
  }

  private static DatagramSocket receiver() throws IOException {
    return new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
  }

  @Test
  void shouldSeeEachPacketOnceWithItsBytesTimeAndLength() throws IOException {
    try (LiveSource source = open();
        DatagramSocket receiver = receiver()) {
      begin(source);
      long beforeNs = wallNs();
      for (int first = 0; first < DATAGRAMS; first += DATAGRAMS_AT_A_TIME) {
        pass(receiver, first, DATAGRAMS_AT_A_TIME, PAYLOAD_BYTES);
        requireDatagrams(source, first, first + DATAGRAMS_AT_A_TIME, beforeNs);
      }
      assertThat(source.counters().packets()).isEqualTo(DATAGRAMS);
      assertThat(source.counters().lostBeforeTap()).isZero();
      assertThat(source.counters().skipped()).isZero();
      assertThat(source.clock()).isEqualTo(RingClock.WALL);
    }
  }

  /** Capture begins with the first poll. */
  private static void begin(LiveSource source) {
    try (RawPacketBatch batch = new RawPacketBatch(1)) {
      assertThat(source.fill(batch)).isZero();
    }
  }

  private static long wallNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /** Reads the datagrams with these numbers, which must be the next frames, in their order. */
  private static void requireDatagrams(LiveSource source, int first, int end, long beforeNs) {
    int next = first;
    try (RawPacketBatch batch = new RawPacketBatch(64)) {
      while (next < end) {
        int count = source.fill(batch);
        for (int i = 0; i < count; i++) {
          assertThat(number(batch, i)).isEqualTo(next);
          assertThat(batch.wireBytes(i)).isEqualTo(HEADER_BYTES + PAYLOAD_BYTES);
          assertThat(batch.capturedBytes(i)).isEqualTo(HEADER_BYTES + PAYLOAD_BYTES);
          assertThat(batch.linkType(i)).isEqualTo(1);
          assertThat(batch.timeNs(i)).isBetween(beforeNs, wallNs());
          next++;
        }
      }
    }
    assertThat(next).isEqualTo(end);
  }

  @Test
  void shouldAccumulateKernelDropsAndResume() throws IOException {
    try (LiveSource source = openSmall();
        RawPacketBatch batch = new RawPacketBatch(1024);
        DatagramSocket receiver = receiver()) {
      begin(source);
      pass(receiver, 0, TOO_MANY_DATAGRAMS, LARGE_PAYLOAD_BYTES);
      long drops = source.counters().lostBeforeTap();
      assertThat(drops).isBetween(1L, (long) TOO_MANY_DATAGRAMS);
      assertThat(source.takeLostBeforeTap()).as("reported in the stream").isEqualTo(drops);
      long left = TOO_MANY_DATAGRAMS - drops;
      while (left > 0) {
        left -= source.fill(batch);
      }
      assertThat(left).isZero();
      assertThat(source.fill(batch)).as("gives the last block back").isZero();
      pass(receiver, 0, 1, PAYLOAD_BYTES);
      requireDatagrams(source, 0, 1, 0);
      assertThat(source.counters().lostBeforeTap()).isEqualTo(drops);
    }
  }

  /** A tap may wait long for its reader; the kernel must not fill its ring meanwhile. */
  @Test
  void shouldCaptureNothingBeforeTheFirstPoll() throws IOException {
    try (LiveSource source = openSmall();
        DatagramSocket receiver = receiver()) {
      pass(receiver, 0, TOO_MANY_DATAGRAMS, LARGE_PAYLOAD_BYTES);
      assertThat(source.counters().lostBeforeTap()).isZero();
      begin(source);
      pass(receiver, 7, 1, PAYLOAD_BYTES);
      requireDatagrams(source, 7, 8, 0);
    }
  }

  @Test
  void shouldReportAnIdleTimeThatNoLaterPacketPrecedes() throws IOException {
    try (LiveSource source = open();
        DatagramSocket receiver = receiver()) {
      begin(source);
      long beforeNs = wallNs();
      long idleNs = source.idleClockNs();
      assertThat(idleNs).isBetween(beforeNs - 2 * RETIRE.toNanos(), wallNs());
      pass(receiver, 0, 1, PAYLOAD_BYTES);
      requireDatagrams(source, 0, 1, idleNs);
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

  /** The kernel still has these packets, in a block that is not full. */
  @Test
  void shouldReturnOnlyWhatItCapturedBeforeItWasStopped() throws IOException {
    try (LiveSource source = open();
        RawPacketBatch batch = new RawPacketBatch(64);
        DatagramSocket receiver = receiver()) {
      begin(source);
      pass(receiver, 0, DATAGRAMS_AT_A_TIME, PAYLOAD_BYTES);
      source.stopCatching();
      pass(receiver, DATAGRAMS_AT_A_TIME, 10, PAYLOAD_BYTES);
      int seen = 0;
      for (int count = source.fill(batch); count != PacketSource.END; count = source.fill(batch)) {
        seen += count;
      }
      assertThat(seen).isEqualTo(DATAGRAMS_AT_A_TIME);
      assertThat(source.counters().lostBeforeTap()).isZero();
    }
  }

  @Test
  void shouldListInterfacesWhenTheNameIsUnknown() {
    assertThatThrownBy(() -> new LiveSource(LiveOptions.of("nonesuch0")))
        .isInstanceOf(LiveCaptureException.class)
        .hasMessageContaining("no interface nonesuch0; there are:")
        .hasMessageContaining("lo");
  }

  @Test
  void shouldRejectInvalidOptions() {
    assertThatThrownBy(() -> LiveOptions.of(" ")).hasMessageContaining("name of an interface");
    assertThatThrownBy(() -> loopback(1)).hasMessageContaining("blocks=1");
    assertThatThrownBy(() -> LiveOptions.of("lo").withBuffer(2, Duration.ZERO))
        .hasMessageContaining("retire=PT0S");
  }

  /** Each datagram is received before the next one leaves, so it has passed the capture. */
  private static void pass(DatagramSocket receiver, int first, int count, int payloadBytes)
      throws IOException {
    byte[] payload = new byte[payloadBytes];
    DatagramPacket received = new DatagramPacket(new byte[payloadBytes], payloadBytes);
    try (DatagramSocket sender = new DatagramSocket()) {
      for (int number = first; number < first + count; number++) {
        payload[0] = (byte) (number >>> 8);
        payload[1] = (byte) number;
        sender.send(new DatagramPacket(payload, payloadBytes, receiver.getLocalSocketAddress()));
        receiver.receive(received);
      }
    }
  }

  private static int number(RawPacketBatch batch, int index) {
    MemorySegment frames = batch.base();
    return Short.toUnsignedInt(frames.get(SHORT, batch.dataOffset(index) + HEADER_BYTES));
  }
}
