// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * TCP over IPv4 at a constant rate, the flow of each packet drawn from so many: no packet of a flow
 * is near another one, which is the worst that state by flow can meet. Some are SYNs from anywhere
 * to one of {@value #DESTINATIONS} addresses.
 */
final class UniformFlows implements PacketSource {
  static final int DESTINATIONS = 1000;

  private static final int NO_SYN = 0;
  private static final int FRAME_BYTES = 54;
  private static final int SLOT_BYTES = 64;
  private static final int LINK_TYPE_ETHERNET = 1;
  private static final long NS_PER_S = 1_000_000_000;

  private static final int SOURCE_ADDRESS = 26;
  private static final int DESTINATION_ADDRESS = 30;
  private static final int PORTS = 34;
  private static final int FLAGS = 47;
  private static final byte SYN = 0x02;
  private static final byte ACK = 0x10;

  private static final int CLIENTS = 0x0a00_0000;
  private static final int SERVERS = 0xac10_0000;
  private static final int WATCHED = 0xc612_0000;
  private static final int HTTPS = 443;

  private static final ValueLayout.OfInt WORD =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment frames =
      arena.allocate((long) RawPacketBatch.DEFAULT_CAPACITY * SLOT_BYTES, Long.BYTES);
  private final SplittableRandom random = new SplittableRandom(1);
  private final int flows;
  private final long gapNs;
  private final int synOneIn;
  private final long mostPackets;
  private long packets;

  private UniformFlows(int flows, long packetsPerSecond, int synOneIn, long mostPackets) {
    this.flows = flows;
    this.synOneIn = synOneIn;
    this.mostPackets = mostPackets;
    gapNs = NS_PER_S / packetsPerSecond;
    for (int slot = 0; slot < RawPacketBatch.DEFAULT_CAPACITY; slot++) {
      writeHeaders((long) slot * SLOT_BYTES);
    }
  }

  static UniformFlows of(int flows, long packetsPerSecond, long mostPackets) {
    return new UniformFlows(flows, packetsPerSecond, NO_SYN, mostPackets);
  }

  /** The same flows, and every so manieth packet a SYN. */
  static UniformFlows withSyns(int flows, long packetsPerSecond, int oneIn, long mostPackets) {
    return new UniformFlows(flows, packetsPerSecond, oneIn, mostPackets);
  }

  /** What all frames have: Ethernet, 20 bytes of IPv4, 20 of TCP, no payload. */
  private void writeHeaders(long frame) {
    frames.set(SHORT, frame + 12, (short) 0x0800);
    frames.set(SHORT, frame + 14, (short) 0x4500);
    frames.set(SHORT, frame + 16, (short) 40);
    frames.set(SHORT, frame + 22, (short) 0x4006);
    frames.set(ValueLayout.JAVA_BYTE, frame + 46, (byte) 0x50);
  }

  @Override
  public int fill(RawPacketBatch batch) {
    batch.begin(frames);
    int count = (int) Math.min(batch.room(), mostPackets - packets);
    for (int i = 0; i < count; i++) {
      long frame = (long) i * SLOT_BYTES;
      if (synOneIn != NO_SYN && packets % synOneIn == 0) {
        writeSyn(frame);
      } else {
        writeFlow(frame, random.nextInt(flows));
      }
      long timeNs = SyntheticOptions.DEFAULT_START_NS + packets * gapNs;
      batch.append(frame, timeNs, FRAME_BYTES, FRAME_BYTES, LINK_TYPE_ETHERNET, 0);
      packets++;
    }
    return count == 0 ? END : count;
  }

  private void writeFlow(long frame, int flow) {
    write(frame, CLIENTS + flow, SERVERS + (flow & 0xff), flow & 0xffff, ACK);
  }

  private void writeSyn(long frame) {
    int destination = WATCHED + random.nextInt(DESTINATIONS);
    write(frame, random.nextInt(), destination, random.nextInt(1 << Short.SIZE), SYN);
  }

  private void write(long frame, int source, int destination, int sourcePort, byte flags) {
    frames.set(WORD, frame + SOURCE_ADDRESS, source);
    frames.set(WORD, frame + DESTINATION_ADDRESS, destination);
    frames.set(WORD, frame + PORTS, sourcePort << Short.SIZE | HTTPS);
    frames.set(ValueLayout.JAVA_BYTE, frame + FLAGS, flags);
  }

  @Override
  public int clock() {
    return RingClock.SYNTHETIC;
  }

  @Override
  public SourceCounters counters() {
    long bytes = packets * FRAME_BYTES;
    return new SourceCounters(packets, bytes, bytes, 0, 0, Map.of(), List.of());
  }

  @Override
  public double progress() {
    return (double) packets / mostPackets;
  }

  @Override
  public void close() {
    arena.close();
  }
}
