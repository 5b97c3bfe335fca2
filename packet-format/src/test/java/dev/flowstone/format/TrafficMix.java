// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.*;

import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Records like those of a busy link: bidirectional flows of Zipf-distributed size, 85 % TCP with
 * sequence numbers that add up, 12 % UDP, 3 % ICMP; one flow in ten is IPv6; times a microsecond
 * apart on average. Repeatable by its seed.
 */
final class TrafficMix {
  static final long START_NS = 1_790_000_000_123_456_789L;

  private static final int[] SERVER_PORTS = {443, 443, 443, 443, 443, 80, 80, 22, 8080, 53};
  private static final int ACK = 0x10;
  private static final int PSH_ACK = 0x18;
  private static final int SYN = 0x02;

  private final SplittableRandom random;
  private final double[] cumulativeShare;
  private final Flow[] flows;
  private long timeNs = START_NS;

  TrafficMix(long seed, int flowCount, double zipfExponent) {
    random = new SplittableRandom(seed);
    flows = new Flow[flowCount];
    cumulativeShare = new double[flowCount];
    double sum = 0;
    for (int i = 0; i < flowCount; i++) {
      flows[i] = new Flow(random);
      sum += 1 / Math.pow(i + 1, zipfExponent);
      cumulativeShare[i] = sum;
    }
  }

  /** Writes count records from offset 0. */
  void fill(MemorySegment records, int count) {
    for (int i = 0; i < count; i++) {
      timeNs += (long) (-1000 * Math.log(1 - random.nextDouble()));
      nextFlow().write(records, i * SIZE_BYTES, (int) timeNs, random);
    }
  }

  long timeNs() {
    return timeNs;
  }

  private Flow nextFlow() {
    final double share = random.nextDouble() * cumulativeShare[flows.length - 1];
    final int found = Arrays.binarySearch(cumulativeShare, share);
    return flows[found < 0 ? -found - 1 : found];
  }

  /** Endpoint 0 is the client, endpoint 1 the server. */
  private static final class Flow {
    final long[] high = new long[2];
    final long[] low = new long[2];
    final int[] port = new int[2];
    final int[] sequence = new int[2];
    final int[] window = new int[2];
    final int[] hops = new int[2];
    final int protocol;
    final int kind;
    final int segmentBytes;
    final int uplinkPercent;
    int handshake;

    Flow(SplittableRandom random) {
      final boolean ipv6 = random.nextInt(10) == 0;
      kind = ipv6 ? RecordKind.IPV6 : RecordKind.IPV4;
      for (int side = 0; side < 2; side++) {
        high[side] = ipv6 ? 0x2001_0db8_0000_0000L | random.nextInt(1 << 16) : 0;
        low[side] = ipv6 ? random.nextLong() : 0xffff_0000_0000L;
        sequence[side] = random.nextInt();
        window[side] = random.nextInt(1 << 16);
        hops[side] = random.nextBoolean() ? 64 : 40 + random.nextInt(24);
      }
      if (!ipv6) {
        low[0] |= 0x0a00_0000 | random.nextInt(1 << 20);
        low[1] |= random.nextInt() & 0xffff_ffffL;
      }
      final int share = random.nextInt(100);
      protocol = share < 85 ? 6 : share < 97 ? 17 : 1;
      port[0] = protocol == 1 ? 0 : 32768 + random.nextInt(28232);
      port[1] = protocol == 1 ? 0 : SERVER_PORTS[random.nextInt(SERVER_PORTS.length)];
      segmentBytes = random.nextBoolean() ? 1448 : 1460;
      uplinkPercent = random.nextInt(5) == 0 ? 80 : 35;
      handshake = random.nextInt(4) == 0 ? 0 : 3;
    }

    void write(MemorySegment records, long at, int timeLow, SplittableRandom random) {
      int side = random.nextInt(100) < uplinkPercent ? 0 : 1;
      int payload =
          random.nextInt(uplinkPercent == 80 ? 2 : 3) == 0 || side == 1 ? payload(random) : 0;
      int flags = 0;
      int headers = kind == RecordKind.IPV6 ? 54 : 34;
      int sequenceWord;
      int acknowledgementWord;
      if (protocol == 6) {
        headers += segmentBytes == 1448 ? 32 : 20;
        flags = payload > 0 && random.nextInt(4) == 0 ? PSH_ACK : ACK;
        if (handshake < 2) {
          side = handshake;
          payload = 0;
          headers += 8;
          flags = handshake == 0 ? SYN : SYN | ACK;
          handshake++;
        }
        sequenceWord = sequence[side];
        acknowledgementWord = (flags & ACK) == 0 ? 0 : sequence[1 - side];
        sequence[side] += payload + ((flags & SYN) != 0 ? 1 : 0);
        if (random.nextInt(8) == 0) {
          window[side] = (window[side] + random.nextInt(200) - 100) & 0xffff;
        }
      } else if (protocol == 17) {
        headers += 8;
        sequenceWord = port[side] << 16 | port[1 - side];
        acknowledgementWord = (payload + 8) << 16 | random.nextInt(1 << 16);
      } else {
        headers += 8;
        sequenceWord = side << 27 | random.nextInt(1 << 16);
        acknowledgementWord = 0x1234_0000 | random.nextInt(1 << 16);
      }
      records.set(LittleEndian.INT_LAYOUT, at + TIME_LOW_OFFSET, timeLow);
      records.set(
          LittleEndian.INT_LAYOUT,
          at + FLOW_HASH_OFFSET,
          FlowHashPrediction.predict(high[0], low[0], high[1], low[1], port[0], port[1], protocol));
      records.set(LittleEndian.ADDRESS_LAYOUT, at + SOURCE_ADDRESS_OFFSET, high[side]);
      records.set(LittleEndian.ADDRESS_LAYOUT, at + SOURCE_ADDRESS_OFFSET + 8, low[side]);
      records.set(LittleEndian.ADDRESS_LAYOUT, at + DESTINATION_ADDRESS_OFFSET, high[1 - side]);
      records.set(LittleEndian.ADDRESS_LAYOUT, at + DESTINATION_ADDRESS_OFFSET + 8, low[1 - side]);
      records.set(LittleEndian.SHORT_LAYOUT, at + SOURCE_PORT_OFFSET, (short) port[side]);
      records.set(LittleEndian.SHORT_LAYOUT, at + DESTINATION_PORT_OFFSET, (short) port[1 - side]);
      records.set(LittleEndian.INT_LAYOUT, at + SEQUENCE_OFFSET, sequenceWord);
      records.set(LittleEndian.INT_LAYOUT, at + ACKNOWLEDGEMENT_OFFSET, acknowledgementWord);
      records.set(
          LittleEndian.SHORT_LAYOUT,
          at + TCP_WINDOW_OFFSET,
          (short) (protocol == 6 ? window[side] : 0));
      records.set(LittleEndian.SHORT_LAYOUT, at + PAYLOAD_LENGTH_OFFSET, (short) payload);
      records.set(
          LittleEndian.INT_LAYOUT, at + PROTOCOL_OFFSET, protocol | flags << 8 | hops[side] << 24);
      records.set(
          LittleEndian.INT_LAYOUT,
          at + DESCRIPTOR_OFFSET,
          Math.max(60, headers + payload) | kind << KIND_SHIFT | 3 << GENERATION_SHIFT);
    }

    private int payload(SplittableRandom random) {
      final int choice = random.nextInt(10);
      return choice < 5 ? segmentBytes : choice < 6 ? 0 : random.nextInt(segmentBytes);
    }
  }
}
