// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.tap.RawPacketBatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** Takes everything a source sends and hands it on frame by frame. */
final class SentFrames {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int BATCH_CAPACITY = 1000;

  private SentFrames() {}

  /** Runs to the end of the source, which needs a packet limit. */
  static void forEach(SyntheticSource source, Consumer<ParsedFrame> consumer) {
    forEachBytes(
        source,
        (frame, timeNs, wireBytes) -> consumer.accept(ParsedFrame.of(frame, timeNs, wireBytes)));
  }

  interface BytesConsumer {
    void accept(ByteBuffer frame, long timeNs, int wireBytes);
  }

  static void forEachBytes(SyntheticSource source, BytesConsumer consumer) {
    RawPacketBatch batch = new RawPacketBatch(BATCH_CAPACITY);
    while (source.fill(batch) > 0) {
      for (int i = 0; i < batch.count(); i++) {
        handOn(batch, i * RawPacketLayout.SIZE_BYTES, consumer);
      }
    }
  }

  private static void handOn(RawPacketBatch batch, long descriptor, BytesConsumer consumer) {
    MemorySegment descriptors = batch.descriptors();
    long offset = descriptors.get(LONG, descriptor + RawPacketLayout.DATA_OFFSET_OFFSET);
    int captured = descriptors.get(INT, descriptor + RawPacketLayout.CAPTURED_BYTES_OFFSET);
    consumer.accept(
        batch.base().asSlice(offset, captured).asByteBuffer().order(ByteOrder.BIG_ENDIAN),
        descriptors.get(LONG, descriptor + RawPacketLayout.TIME_NS_OFFSET),
        descriptors.get(INT, descriptor + RawPacketLayout.WIRE_BYTES_OFFSET));
  }
}
