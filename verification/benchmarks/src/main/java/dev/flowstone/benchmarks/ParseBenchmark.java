// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Packets per second that one core parses, hash included, from memory that no cache holds. */
final class ParseBenchmark implements Benchmark {
  private static final int BATCH = RawPacketBatch.DEFAULT_CAPACITY;
  private static final long LINE_BYTES = 64;
  private static final long MOST_FRAME_BYTES = 2L << 30;
  private static final int SYNTHETIC_FRAME_BYTES = 128 + 16;
  private static final int OTHER_FRAME_BYTES = 128;

  @Override
  public String name() {
    return "parse";
  }

  @Override
  public String description() {
    return "packets/s per core of the parser, hash included; baseline: reading one line per frame";
  }

  private record Measured(Windows parse, Windows touch, long packets, double bytesPerFrame) {}

  @Override
  public BenchResult run(BenchScale scale) {
    long packets = Math.min(scale.packets(), 1L << 22);
    Measured synthetic;
    try (SyntheticSource source = synthetic(SyntheticOptions.defaults(), packets)) {
      synthetic = measure(source, packets, packets * SYNTHETIC_FRAME_BYTES, scale);
    }
    List<Path> captures = Captures.mixed();
    Measured other =
        captures.isEmpty() ? otherSizes(packets, scale) : replayed(captures, packets, scale);
    boolean syntheticIsSlower = synthetic.parse.median() <= other.parse.median();
    Measured figure = syntheticIsSlower ? synthetic : other;
    Map<String, Object> further = new LinkedHashMap<>();
    String otherMix =
        captures.isEmpty()
            ? "synthetic, all frames of " + OTHER_FRAME_BYTES + " bytes: no captures here"
            : "replay of " + captures.size() + " captures";
    further.put("clock", "CPU time of the parsing thread");
    further.put("figure_mix", syntheticIsSlower ? "synthetic mix" : otherMix);
    report("synthetic", synthetic, further);
    further.put("other_mix", otherMix);
    report("other", other, further);
    return new BenchResult(
        name(),
        "packets/s",
        BenchResult.Better.MORE,
        figure.parse,
        figure.touch.median(),
        "one word read of each frame, same memory, same thread",
        further);
  }

  private static void report(String mix, Measured measured, Map<String, Object> further) {
    further.put(mix + "_packets_per_s", measured.parse.median());
    further.put(mix + "_baseline", measured.touch.median());
    further.put(mix + "_packets", measured.packets);
    further.put(mix + "_bytes_per_frame", measured.bytesPerFrame);
  }

  private static SyntheticSource synthetic(SyntheticOptions options, long packets) {
    return new SyntheticSource(options.withPackets(packets));
  }

  private static Measured otherSizes(long packets, BenchScale scale) {
    SyntheticOptions options = SyntheticOptions.defaults().withFrameBytes(OTHER_FRAME_BYTES);
    try (SyntheticSource source = synthetic(options.withSeed(2), packets)) {
      return measure(source, packets, packets * SYNTHETIC_FRAME_BYTES, scale);
    }
  }

  private static Measured replayed(List<Path> captures, long packets, BenchScale scale) {
    try (ReplaySource source =
        new ReplaySource(new ReplayOptions(captures, ReplayOptions.FOREVER))) {
      long mostBytes = scale.isFull() ? MOST_FRAME_BYTES : packets * SYNTHETIC_FRAME_BYTES;
      return measure(source, packets, mostBytes, scale);
    }
  }

  private static Measured measure(
      PacketSource source, long mostPackets, long mostBytes, BenchScale scale) {
    try (CapturedFrames captured = new CapturedFrames(mostPackets, mostBytes).take(source);
        Arena arena = Arena.ofConfined()) {
      Progress.say("%,d packets".formatted(captured.count()));
      Windows touch =
          Windows.ratesOfPassesPerCore(
              captured.count(), () -> Sink.take(captured.touchEach()), scale);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
      Windows parse =
          Windows.ratesOfPassesPerCore(captured.count(), () -> parseAll(captured, records), scale);
      return new Measured(parse, touch, captured.count(), captured.bytesPerFrame());
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
