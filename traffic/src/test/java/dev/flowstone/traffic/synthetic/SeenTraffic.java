// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A naive analyser: decodes every frame's bytes and counts what a truth claims. */
final class SeenTraffic {
  /** A directional or canonical 5-tuple as text, with the figures of its packets. */
  static final class FlowSeen {
    long packets;
    long bytes;
    long firstNs;
    long lastNs;
    long minGapNs = Long.MAX_VALUE;
    long maxGapNs = Long.MIN_VALUE;

    void add(long timeNs, long wireBytes) {
      if (packets++ == 0) {
        firstNs = timeNs;
      } else {
        minGapNs = Math.min(minGapNs, timeNs - lastNs);
        maxGapNs = Math.max(maxGapNs, timeNs - lastNs);
      }
      lastNs = timeNs;
      bytes += wireBytes;
    }
  }

  /** One direction of a TCP connection as far as it was seen. */
  private static final class Direction {
    int highest;
    int missing;
    boolean begun;
  }

  long packets;
  long wireBytes;
  long capturedBytes;
  long firstNs = -1;
  long lastNs;
  long syns;
  long synAcks;
  long fins;
  long dataSegments;
  long lateSegments;
  long gaps;
  long begunWithSyn;
  long partialSegments;
  long sequenceErrors;
  long acknowledgementErrors;
  long checksumErrors;
  long backwardSteps;
  final Map<String, Long> classes = new TreeMap<>();
  final Map<String, FlowSeen> directional = new HashMap<>();
  final Map<String, FlowSeen> bidirectional = new HashMap<>();
  final Map<String, Integer> synsByWindowAndDestination = new TreeMap<>();
  final Set<Integer> wireSizes = new HashSet<>();
  final Set<Integer> timesToLive = new HashSet<>();
  final Set<Integer> windows = new HashSet<>();
  final List<Map.Entry<String, Integer>> runs = new ArrayList<>();
  private String latestFlow = "";
  private int run;
  final List<Long> timesNs = new ArrayList<>();
  private final Map<String, Direction> tcp = new HashMap<>();

  static SeenTraffic of(SyntheticSource source, int batchCapacity) {
    SeenTraffic seen = new SeenTraffic();
    try (RawPacketBatch batch = new RawPacketBatch(batchCapacity)) {
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          seen.add(batch, i);
        }
      }
    }
    return seen;
  }

  private void add(RawPacketBatch batch, int index) {
    long timeNs = batch.timeNs(index);
    packets++;
    wireBytes += batch.wireBytes(index);
    capturedBytes += batch.capturedBytes(index);
    wireSizes.add((int) batch.wireBytes(index));
    backwardSteps += timeNs < lastNs ? 1 : 0;
    if (firstNs < 0) {
      firstNs = timeNs;
    }
    lastNs = timeNs;
    timesNs.add(timeNs);
    byte[] bytes = new byte[batch.capturedBytes(index)];
    MemorySegment.copy(
        batch.base(),
        batch.dataOffset(index),
        MemorySegment.ofArray(bytes),
        0,
        batch.capturedBytes(index));
    frame(ByteBuffer.wrap(bytes), timeNs, batch.wireBytes(index));
  }

  private void frame(ByteBuffer frame, long timeNs, long wire) {
    int type = frame.getShort(12) & 0xFFFF;
    int ip = 14;
    if (type == 0x8100) {
      count("vlan");
      type = frame.getShort(16) & 0xFFFF;
      ip = 18;
    }
    switch (type) {
      case 0x0800 -> {
        count("ipv4");
        checksumErrors += fold(sum(frame, ip, 20)) == 0xFFFF ? 0 : 1;
        timesToLive.add(frame.get(ip + 8) & 0xFF);
        int length = frame.getShort(ip + 2) & 0xFFFF;
        layer4(frame, ip, ip + 12, 4, frame.get(ip + 9), ip + 20, length - 20, timeNs, wire);
      }
      case 0x86DD -> {
        count("ipv6");
        timesToLive.add(frame.get(ip + 7) & 0xFF);
        int length = frame.getShort(ip + 4) & 0xFFFF;
        layer4(frame, ip, ip + 8, 16, frame.get(ip + 6), ip + 40, length, timeNs, wire);
      }
      default -> throw new AssertionError("EtherType " + Integer.toHexString(type));
    }
  }

  private void layer4(
      ByteBuffer frame,
      int ip,
      int addresses,
      int addressBytes,
      int protocol,
      int l4,
      int l4Bytes,
      long timeNs,
      long wire) {
    if (l4 + l4Bytes > wire) {
      throw new AssertionError("IP length beyond the frame at " + ip);
    }
    checksumErrors += checksum(frame, addresses, addressBytes, protocol, l4, l4Bytes) ? 0 : 1;
    boolean ports = protocol == 6 || protocol == 17;
    String source = text(frame, addresses, addressBytes);
    String destination = text(frame, addresses + addressBytes, addressBytes);
    int sourcePort = ports ? frame.getShort(l4) & 0xFFFF : 0;
    int destinationPort = ports ? frame.getShort(l4 + 2) & 0xFFFF : 0;
    String there = key(source, destination, protocol, sourcePort, destinationPort);
    String back = key(destination, source, protocol, destinationPort, sourcePort);
    directional.computeIfAbsent(there, key -> new FlowSeen()).add(timeNs, wire);
    String both = bidirectional.containsKey(back) ? back : there;
    bidirectional.computeIfAbsent(both, key -> new FlowSeen()).add(timeNs, wire);
    if (both.equals(latestFlow)) {
      run++;
    } else {
      runs.add(Map.entry(latestFlow, run));
      latestFlow = both;
      run = 1;
    }
    switch (protocol) {
      case 6 -> {
        count("tcp");
        tcp(frame, l4, l4Bytes, there, back, destination, timeNs);
      }
      case 17 -> {
        count("udp");
        if ((frame.getShort(l4 + 4) & 0xFFFF) != l4Bytes) {
          throw new AssertionError("UDP length");
        }
      }
      default -> count("icmp");
    }
  }

  private void tcp(
      ByteBuffer frame, int l4, int l4Bytes, String there, String back, String dst, long timeNs) {
    int flags = frame.get(l4 + 13);
    boolean syn = (flags & 2) != 0;
    boolean ack = (flags & 16) != 0;
    boolean fin = (flags & 1) != 0;
    windows.add(frame.getShort(l4 + 14) & 0xFFFF);
    if (syn && !ack) {
      syns++;
      long window = timeNs / 5_000_000_000L * 5_000_000_000L;
      synsByWindowAndDestination.merge(window + " " + dst, 1, Integer::sum);
    }
    synAcks += syn && ack ? 1 : 0;
    fins += fin ? 1 : 0;
    int payloadBytes = l4Bytes - ((frame.get(l4 + 12) & 0xF0) >> 2);
    begunWithSyn += syn && !ack && !tcp.containsKey(there) ? 1 : 0;
    segment(
        tcp.computeIfAbsent(there, key -> new Direction()),
        frame.getInt(l4 + 4),
        payloadBytes,
        syn || fin ? 1 : 0);
    partialSegments += payloadBytes > 0 && (flags & 8) != 0 ? 1 : 0;
    Direction other = tcp.get(back);
    if (ack && other != null && other.begun) {
      // Nobody acknowledges what is missing or was never sent.
      int most = other.missing != 0 ? other.missing : other.highest;
      acknowledgementErrors += frame.getInt(l4 + 8) - most > 0 ? 1 : 0;
    }
  }

  /** One segment at a time may be missing, until it comes late. */
  private void segment(Direction own, int sequence, int payloadBytes, int more) {
    dataSegments += payloadBytes > 0 ? 1 : 0;
    int end = sequence + payloadBytes + more;
    if (!own.begun) {
      own.begun = true;
    } else if (sequence - own.highest < 0) {
      lateSegments++;
      sequenceErrors += own.missing != 0 && own.missing != sequence ? 1 : 0;
      own.missing = 0;
      return;
    } else if (sequence != own.highest) {
      sequenceErrors += own.missing != 0 ? 1 : 0;
      own.missing = own.highest;
      gaps++;
    }
    own.highest = end;
  }

  private void count(String kind) {
    classes.merge(kind, 1L, Long::sum);
  }

  /** Over header, payload and pseudo header; what a frame does not show is known. */
  private static boolean checksum(
      ByteBuffer frame, int addresses, int addressBytes, int protocol, int l4, int l4Bytes) {
    byte[] all = new byte[l4Bytes + (l4Bytes & 1)];
    Arrays.fill(all, 0, l4Bytes, FrameTemplate.PAYLOAD_BYTE);
    frame.get(l4, all, 0, Math.min(l4Bytes, frame.capacity() - l4));
    long sum = sum(ByteBuffer.wrap(all), 0, all.length);
    if (protocol != 1) {
      sum += sum(frame, addresses, 2 * addressBytes) + protocol + l4Bytes;
    }
    return fold(sum) == 0xFFFF;
  }

  private static long sum(ByteBuffer bytes, int offset, int length) {
    long sum = 0;
    for (int i = 0; i < length; i += 2) {
      sum += bytes.getShort(offset + i) & 0xFFFF;
    }
    return sum;
  }

  private static long fold(long sum) {
    long folded = sum;
    while (folded > 0xFFFF) {
      folded = (folded & 0xFFFF) + (folded >>> 16);
    }
    return folded;
  }

  static String key(String source, String destination, int protocol, int from, int to) {
    return source + " " + destination + " " + protocol + " " + from + " " + to;
  }

  private static String text(ByteBuffer frame, int offset, int length) {
    byte[] address = new byte[length];
    frame.get(offset, address);
    try {
      // Java writes IPv6 without "::".
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
