// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What the parser says of all packets of a source, and their bytes. */
final class SeenPackets {
  /**
   * A packet.
   *
   * @param words the record behind its addresses and ports, without flow hash and times
   */
  record Packet(
      String source,
      String destination,
      int sourcePort,
      int destinationPort,
      int protocol,
      int kind,
      long timeNs,
      long wireBytes,
      String words,
      ByteBuffer frame,
      int linkType) {
    String flow() {
      String there = source + " " + sourcePort;
      String back = destination + " " + destinationPort;
      return protocol + " " + (there.compareTo(back) < 0 ? there + " " + back : back + " " + there);
    }

    String tuple() {
      return protocol + " " + source + " " + sourcePort + " " + destination + " " + destinationPort;
    }
  }

  final List<Packet> packets = new ArrayList<>();

  static SeenPackets of(Path capture) {
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture))) {
      return of(source, Templates.SHOWN_BYTES);
    }
  }

  static SeenPackets of(ResampleOptions options) {
    try (ResampleSource source = new ResampleSource(options)) {
      return of(source, Templates.SHOWN_BYTES);
    }
  }

  static SeenPackets of(PacketSource source, int shownBytes) {
    SeenPackets seen = new SeenPackets();
    try (RawPacketBatch batch = new RawPacketBatch(100);
        RawPacketBatch one = new RawPacketBatch(1);
        Arena arena = Arena.ofConfined()) {
      MemorySegment record = arena.allocate(PacketRecordLayout.SIZE_BYTES, 64);
      while (source.fill(batch) != PacketSource.END) {
        for (int i = 0; i < batch.count(); i++) {
          int shown = Math.min(batch.capturedBytes(i), shownBytes);
          one.begin(batch.base());
          one.append(
              batch.dataOffset(i),
              batch.timeNs(i),
              shown,
              (int) batch.wireBytes(i),
              batch.linkType(i),
              batch.flags(i));
          ParserLibrary.instance()
              .parse(batch.base(), one.descriptors(), 1, ParserProfile.SOFTWARE, record);
          seen.packets.add(packet(batch, i, shown, record));
        }
      }
    }
    return seen;
  }

  private static Packet packet(RawPacketBatch batch, int index, int shown, MemorySegment record) {
    int protocol = PacketRecord.protocol(record, 0);
    // The first words of layer 4 are ports and checksums but in TCP.
    boolean isTcp = protocol == 6;
    String words =
        PacketRecord.tcpFlags(record, 0)
            + " "
            + PacketRecord.tcpWindow(record, 0)
            + " "
            + PacketRecord.payloadLength(record, 0)
            + " "
            + PacketRecord.typeOfService(record, 0)
            + " "
            + PacketRecord.timeToLive(record, 0)
            + " "
            + PacketRecord.descriptor(record, 0)
            + " "
            + (isTcp ? PacketRecord.sequence(record, 0) : 0)
            + " "
            + (isTcp ? PacketRecord.acknowledgement(record, 0) : 0);
    return new Packet(
        address(record, PacketRecordLayout.SOURCE_ADDRESS_OFFSET),
        address(record, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET),
        PacketRecord.sourcePort(record, 0),
        PacketRecord.destinationPort(record, 0),
        protocol,
        PacketRecord.kind(PacketRecord.descriptor(record, 0)),
        batch.timeNs(index),
        batch.wireBytes(index),
        words,
        ByteBuffer.wrap(
            batch.base().asSlice(batch.dataOffset(index), shown).toArray(ValueLayout.JAVA_BYTE)),
        batch.linkType(index));
  }

  private static String address(MemorySegment record, long offset) {
    return HexFormat.of().formatHex(record.asSlice(offset, 16).toArray(ValueLayout.JAVA_BYTE));
  }

  boolean hasAddresses(Packet packet) {
    return packet.kind != RecordKind.OTHER;
  }

  /** Every flow as the story of its packets: gaps, sizes, directions, headers; how often each. */
  Map<String, Integer> stories() {
    Map<String, StringBuilder> stories = new LinkedHashMap<>();
    Map<String, Packet> first = new HashMap<>();
    Map<String, Long> latestNs = new HashMap<>();
    for (Packet packet : packets) {
      if (hasAddresses(packet)) {
        String flow = packet.flow();
        Packet opener = first.computeIfAbsent(flow, key -> packet);
        stories
            .computeIfAbsent(flow, key -> new StringBuilder())
            .append(packet.timeNs - latestNs.getOrDefault(flow, packet.timeNs))
            .append(packet.tuple().equals(opener.tuple()) ? " > " : " < ")
            .append(packet.wireBytes)
            .append(' ')
            .append(packet.words)
            .append('\n');
        latestNs.put(flow, packet.timeNs);
      }
    }
    Map<String, Integer> counts = new HashMap<>();
    stories.values().forEach(story -> counts.merge(story.toString(), 1, Integer::sum));
    return counts;
  }

  Set<String> flows() {
    Set<String> flows = new TreeSet<>();
    packets.stream().filter(this::hasAddresses).forEach(packet -> flows.add(packet.flow()));
    return flows;
  }

  Set<String> addresses() {
    Set<String> addresses = new TreeSet<>();
    packets.stream()
        .filter(this::hasAddresses)
        .forEach(packet -> addresses.addAll(List.of(packet.source, packet.destination)));
    return addresses;
  }
}
