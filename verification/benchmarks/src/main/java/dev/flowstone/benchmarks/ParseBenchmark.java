// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** Packets per second that one core parses, hash included, from memory that no cache holds. */
final class ParseBenchmark implements MixBenchmark {
  private static final int BATCH = RawPacketBatch.DEFAULT_CAPACITY;
  private static final long LINE_BYTES = 64;
  private static final long MOST_PACKETS = 1L << 22;

  @Override
  public String name() {
    return "parse";
  }

  @Override
  public String description() {
    return "packets/s per core of the parser, hash included; baseline: reading one line per frame";
  }

  @Override
  public Steps steps(BenchScale scale) {
    return Steps.of(scale, scale);
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) {
    long packets = Math.min(scale.packets(), MOST_PACKETS);
    try (PacketSource source = mix.open(packets);
        CapturedFrames captured = CapturedFrames.of(source, packets);
        Arena arena = Arena.ofConfined()) {
      Progress.step("one word of each of %,d frames".formatted(captured.count()), scale);
      Windows touch =
          Windows.ratesOfPassesPerCore(
              captured.count(), () -> Sink.take(captured.touchEach()), scale);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
      Progress.step("parser", scale);
      Windows parse =
          Windows.ratesOfPassesPerCore(captured.count(), () -> parseAll(captured, records), scale);
      Map<String, Object> further = new LinkedHashMap<>();
      further.put("clock", "CPU time of the parsing thread");
      further.put("packets", captured.count());
      further.put("bytes_per_frame", captured.bytesPerFrame());
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          parse,
          touch,
          "one word read of each frame, same memory, same thread",
          further);
    }
  }

  /** By batches, as a tap does; the records stay in the cache, as they do there. */
  private static void parseAll(CapturedFrames captured, MemorySegment records) {
    ParserLibrary parser = ParserLibrary.instance();
    for (long first = 0; first < captured.count(); first += BATCH) {
      int count = (int) Math.min(BATCH, captured.count() - first);
      MemorySegment descriptors =
          captured
              .descriptors()
              .asSlice(first * RawPacketLayout.SIZE_BYTES, count * RawPacketLayout.SIZE_BYTES);
      parser.parse(captured.frames(), descriptors, count, ParserProfile.SOFTWARE, records);
    }
  }
}
