// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.LocalCluster;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;

/** The tap's side of {@link WireBenchmark}: parses frames in memory until it is stopped. */
public final class FramesTap {
  private static final long RING_BYTES = 512L << 20;

  private FramesTap() {}

  /** Arguments: folder, mix, frames to prepare. */
  public static void main(String[] arguments) {
    Mix mix = Mix.valueOf(arguments[1]);
    long packets = Long.parseLong(arguments[2]);
    RingSpecification specification =
        new RingSpecification(
            FilledRings.RING_COUNT,
            RingSpecification.slotsLog2ForBytes(RING_BYTES),
            RingClock.SYNTHETIC,
            LocalCluster.MAX_PARALLELISM,
            "benchmark",
            Optional.empty());
    try (PacketSource source = mix.open(packets);
        CapturedFrames captured = CapturedFrames.of(source, packets);
        RingSetWriter rings =
            RingSetWriter.create(
                new RingDirectory(Path.of(arguments[0])), specification, WhenFull.WAIT)) {
      rings.populate();
      TapLoop loop =
          new TapLoop(new LappingFrames(captured), rings, ParserProfile.SOFTWARE, Pacer.unpaced());
      Thread.ofPlatform().name("tap-stdin").daemon().start(() -> stopAtStdinEnd(loop));
      loop.run();
    }
  }

  /** Whoever started this process is gone then. */
  private static void stopAtStdinEnd(TapLoop loop) {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException closed) {
      // As good as its end.
    }
    loop.stop();
  }
}
