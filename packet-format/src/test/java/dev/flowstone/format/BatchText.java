// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.*;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Locale;

/** A decoded batch as JSON, one packet per line: what every language must find in a fixture. */
final class BatchText {
  private BatchText() {}

  static String of(PacketBatchHeader header, MemorySegment records) {
    final StringBuilder text = new StringBuilder("{\n");
    text.append(
        String.format(
            Locale.ROOT,
            "\"header\": {\"count\": %d, \"ring\": %d, \"stream\": %s, \"rule\": %d, \"incarnation\": %s, \"first_position\": %s,"
                + " \"position_span\": %d, \"sampling_weight\": %d, \"time_base_ns\": %s, \"lost_before\": %d,"
                + " \"lost_before_tap\": %d,"
                + " \"clock_trusted\": %b},%n",
            header.count(),
            header.ring(),
            Long.toUnsignedString(header.stream()),
            header.rule(),
            Long.toUnsignedString(header.incarnation()),
            Long.toUnsignedString(header.firstPosition()),
            header.positionSpan(),
            header.samplingWeight(),
            Long.toUnsignedString(header.timeBaseNs()),
            header.lossBefore().inRing(),
            header.lossBefore().beforeTap(),
            header.clockTrusted()));
    text.append("\"packets\": [\n");
    for (int i = 0; i < header.count(); i++) {
      text.append(packet(header, records.asSlice(i * SIZE_BYTES, SIZE_BYTES)));
      text.append(i + 1 < header.count() ? ",\n" : "\n");
    }
    return text.append("]\n}\n").toString();
  }

  private static String packet(PacketBatchHeader header, MemorySegment record) {
    final int descriptor = record.get(LittleEndian.INT_LAYOUT, DESCRIPTOR_OFFSET);
    return String.format(
        Locale.ROOT,
        "{\"time_ns\": %d, \"flow_hash\": %d, \"source_address\": \"%s\", \"destination_address\": \"%s\","
            + " \"source_port\": %d, \"destination_port\": %d, \"sequence\": %d, \"acknowledgement\": %d,"
            + " \"tcp_window\": %d, \"payload_length\": %d, \"protocol\": %d, \"tcp_flags\": %d,"
            + " \"type_of_service\": %d, \"time_to_live\": %d, \"frame_length\": %d, \"traffic_class\": %d,"
            + " \"later_fragment\": %d, \"ingress_port\": %d, \"kind\": %d, \"generation\": %d}",
        header.timeNs(record.get(LittleEndian.INT_LAYOUT, TIME_LOW_OFFSET)),
        unsignedInt(record, FLOW_HASH_OFFSET),
        address(record, SOURCE_ADDRESS_OFFSET),
        address(record, DESTINATION_ADDRESS_OFFSET),
        unsignedShort(record, SOURCE_PORT_OFFSET),
        unsignedShort(record, DESTINATION_PORT_OFFSET),
        unsignedInt(record, SEQUENCE_OFFSET),
        unsignedInt(record, ACKNOWLEDGEMENT_OFFSET),
        unsignedShort(record, TCP_WINDOW_OFFSET),
        unsignedShort(record, PAYLOAD_LENGTH_OFFSET),
        unsignedByte(record, PROTOCOL_OFFSET),
        unsignedByte(record, TCP_FLAGS_OFFSET),
        unsignedByte(record, TYPE_OF_SERVICE_OFFSET),
        unsignedByte(record, TIME_TO_LIVE_OFFSET),
        descriptor & FRAME_LENGTH_MASK,
        descriptor >>> TRAFFIC_CLASS_SHIFT & TRAFFIC_CLASS_MASK,
        descriptor >>> LATER_FRAGMENT_SHIFT & LATER_FRAGMENT_MASK,
        descriptor >>> INGRESS_PORT_SHIFT & INGRESS_PORT_MASK,
        descriptor >>> KIND_SHIFT & KIND_MASK,
        descriptor >>> GENERATION_SHIFT & GENERATION_MASK);
  }

  private static String address(MemorySegment record, long offset) {
    return HexFormat.of()
        .formatHex(record.asSlice(offset, SOURCE_ADDRESS_LENGTH).toArray(ValueLayout.JAVA_BYTE));
  }

  private static long unsignedInt(MemorySegment record, long offset) {
    return record.get(LittleEndian.INT_LAYOUT, offset) & 0xffff_ffffL;
  }

  private static int unsignedShort(MemorySegment record, long offset) {
    return record.get(LittleEndian.SHORT_LAYOUT, offset) & 0xffff;
  }

  private static int unsignedByte(MemorySegment record, long offset) {
    return record.get(ValueLayout.JAVA_BYTE, offset) & 0xff;
  }
}
