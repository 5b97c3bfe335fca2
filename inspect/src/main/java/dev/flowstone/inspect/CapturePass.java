// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import dev.flowstone.inspect.count.PacketCounter;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Reads a capture from beginning to end with the tap's own reader and parser. */
final class CapturePass {
  private static final long CACHE_LINE_BYTES = 64;

  private CapturePass() {}

  /**
   * Shows a counter all packets.
   *
   * @return what was met while the file was read
   */
  static SourceCounters over(Path capture, PacketCounter counter) {
    ParserLibrary parser = ParserLibrary.instance();
    try (ReplaySource source = new ReplaySource(ReplayOptions.once(capture));
        RawPacketBatch packets = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment records =
          arena.allocate(packets.capacity() * PacketRecordLayout.SIZE_BYTES, CACHE_LINE_BYTES);
      for (int count = source.fill(packets);
          count != PacketSource.END;
          count = source.fill(packets)) {
        parser.parse(packets.base(), packets.descriptors(), count, ParserProfile.SOFTWARE, records);
        counter.add(packets, records);
      }
      return source.counters();
    }
  }
}
