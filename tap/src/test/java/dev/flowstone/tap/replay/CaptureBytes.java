// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes capture files byte by byte. */
final class CaptureBytes {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final ByteOrder order;

  CaptureBytes(ByteOrder order) {
    this.order = order;
  }

  CaptureBytes(boolean bigEndian) {
    this(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
  }

  CaptureBytes u8(int value) {
    bytes.write(value);
    return this;
  }

  CaptureBytes u16(int value) {
    return raw(ByteBuffer.allocate(2).order(order).putShort((short) value).array());
  }

  CaptureBytes u32(long value) {
    return raw(ByteBuffer.allocate(4).order(order).putInt((int) value).array());
  }

  CaptureBytes u64(long value) {
    return raw(ByteBuffer.allocate(8).order(order).putLong(value).array());
  }

  CaptureBytes raw(byte... value) {
    bytes.writeBytes(value);
    return this;
  }

  CaptureBytes zeros(int count) {
    return raw(new byte[count]);
  }

  CaptureBytes pcapHeader(int magic, int linkType) {
    return u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(linkType);
  }

  CaptureBytes pcapRecord(long seconds, long fraction, int captured, long wire) {
    return u32(seconds).u32(fraction).u32(captured).u32(wire).zeros(captured);
  }

  /** A block round a body, which is padded to a multiple of four. */
  CaptureBytes block(int type, CaptureBytes body) {
    int padding = -body.size() & 3;
    int length = 12 + body.size() + padding;
    return u32(type).u32(length).raw(body.array()).zeros(padding).u32(length);
  }

  CaptureBytes section() {
    return block(
        PcapngReader.SECTION_HEADER,
        fresh().u32(PcapngReader.BYTE_ORDER_MAGIC).u16(1).u16(0).u64(-1));
  }

  CaptureBytes interfaceBlock(int linkType, long snapLength, CaptureBytes options) {
    return block(
        PcapngReader.INTERFACE_DESCRIPTION,
        fresh().u16(linkType).u16(0).u32(snapLength).raw(options.array()));
  }

  CaptureBytes enhancedPacket(int interfaceIndex, long ticks, int captured, long wire) {
    return block(
        PcapngReader.ENHANCED_PACKET,
        fresh()
            .u32(interfaceIndex)
            .u32(ticks >>> 32)
            .u32(ticks)
            .u32(captured)
            .u32(wire)
            .zeros(captured));
  }

  CaptureBytes simplePacket(long wire, int bytesThere) {
    return block(PcapngReader.SIMPLE_PACKET, fresh().u32(wire).zeros(bytesThere));
  }

  /** An ERF record; made with big-endian order. */
  CaptureBytes erf(long time, int type, int wire, byte... body) {
    return raw(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(time).array())
        .u8(type)
        .u8(4)
        .u16(16 + body.length)
        .u16(0)
        .u16(wire)
        .raw(body);
  }

  CaptureBytes fresh() {
    return new CaptureBytes(order);
  }

  int size() {
    return bytes.size();
  }

  byte[] array() {
    return bytes.toByteArray();
  }

  Path writeTo(Path file) {
    try {
      return Files.write(file, array());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
