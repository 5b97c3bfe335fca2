// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketBatchHeaderLayout.CHECKSUM_OFFSET;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.MAGIC;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.MAGIC_OFFSET;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.VERSION;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.VERSION_1;
import static dev.flowstone.model.abi.PacketBatchHeaderLayout.VERSION_1_BYTES;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;

/**
 * Unpacks messages into 64-byte packet records, equal bit for bit to those that were encoded.
 * Trusts nothing in a message: whatever is wrong ends in a {@link PacketBatchException}, and no
 * message makes it use more memory than 65,535 packets need. Keeps its scratch space from message
 * to message; not thread-safe.
 */
public final class PacketBatchDecoder {
  private final BatchChecksum checksum;
  private final ColumnsDecoder columns = new ColumnsDecoder();

  public PacketBatchDecoder() {
    this(new BatchChecksum());
  }

  PacketBatchDecoder(BatchChecksum checksum) {
    this.checksum = checksum;
  }

  /** Checks the checksum and reads the header; says how much memory {@link #decode} will want. */
  public PacketBatchHeader readHeader(byte[] message) {
    requireIntact(message);
    final PacketBatchHeader header = PacketBatchHeader.read(message);
    final long rawLength = header.lengthBytes() + header.count() * PacketRecordLayout.SIZE_BYTES;
    if (header.body() == BodyKind.RAW && message.length != rawLength) {
      throw new PacketBatchException(
          "body",
          header.count()
              + " records make "
              + rawLength
              + " bytes, the message has "
              + message.length);
    }
    return header;
  }

  /**
   * Writes the packets as records from offset 0 of the target.
   *
   * @param target at least count times 64 bytes, count being that of {@link #readHeader}
   */
  public PacketBatchHeader decode(byte[] message, MemorySegment target) {
    final PacketBatchHeader header = readHeader(message);
    final long recordsBytes = header.count() * PacketRecordLayout.SIZE_BYTES;
    if (target.byteSize() < recordsBytes) {
      throw new IllegalArgumentException(
          "target is too small: bytes="
              + target.byteSize()
              + " needed="
              + recordsBytes
              + "; see readHeader");
    }
    decodeBody(header, message, target);
    return header;
  }

  /** For a message whose header {@link #readHeader} gave, into a target that is large enough. */
  void decodeBody(PacketBatchHeader header, byte[] message, MemorySegment target) {
    switch (header.body()) {
      case RAW ->
          MemorySegment.copy(
              MemorySegment.ofArray(message),
              header.lengthBytes(),
              target,
              0,
              header.count() * PacketRecordLayout.SIZE_BYTES);
      case COLUMNS -> columns.decode(message, header, target);
    }
    requirePackets(target, header.count());
  }

  private void requireIntact(byte[] message) {
    if (message.length < VERSION_1_BYTES) {
      throw new PacketBatchException(
          "header", "message of " + message.length + " bytes, a header has " + SIZE_BYTES);
    }
    final int magic = (int) LittleEndian.INT.get(message, (int) MAGIC_OFFSET);
    if (magic != MAGIC) {
      throw new PacketBatchException(
          "header.magic", "0x" + Integer.toHexString(magic) + " is not a packet batch");
    }
    final int version = PacketBatchHeader.version(message);
    if (version < VERSION_1 || version > VERSION) {
      throw new PacketBatchException(
          "header.version",
          "packet batch version "
              + version
              + ", this decoder reads versions "
              + VERSION_1
              + " to "
              + VERSION);
    }
    final int stored = (int) LittleEndian.INT.get(message, (int) CHECKSUM_OFFSET);
    final int computed = checksum.of(message, message.length);
    if (stored != computed) {
      throw new PacketBatchException(
          "header.checksum",
          "stored 0x"
              + Integer.toHexString(stored)
              + ", computed 0x"
              + Integer.toHexString(computed));
    }
  }

  static void requirePackets(MemorySegment records, int count) {
    for (int i = 0; i < count; i++) {
      final int descriptor =
          records.get(
              LittleEndian.INT_LAYOUT,
              i * PacketRecordLayout.SIZE_BYTES + PacketRecordLayout.DESCRIPTOR_OFFSET);
      final int kind = descriptor >>> PacketRecordLayout.KIND_SHIFT & PacketRecordLayout.KIND_MASK;
      if (kind < RecordKind.IPV4 || kind > RecordKind.IPV6_ENCAPSULATED) {
        throw new PacketBatchException("packet " + i, "kind " + kind + " is not a packet");
      }
    }
  }
}
