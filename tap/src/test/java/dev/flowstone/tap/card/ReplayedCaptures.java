// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.tap.Pacer;
import dev.flowstone.tap.TapLoop;
import dev.flowstone.tap.replay.ReplayOptions;
import dev.flowstone.tap.replay.ReplaySource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The project's captures, and what a software tap makes of them as the card would. */
final class ReplayedCaptures {
  private static final int REPLAY_SLOTS_LOG2 = 18;

  // A pcap file, and each record in it.
  private static final int PCAP_HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final int CAPTURED_OFFSET = 8;
  private static final int ON_WIRE_OFFSET = 12;

  private ReplayedCaptures() {}

  static List<Path> all() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(root.resolve("traffic/captures"))) {
      root = root.getParent();
    }
    try (Stream<Path> files = Files.list(root.resolve("traffic/captures"))) {
      return files.filter(file -> file.toString().endsWith(".pcap")).sorted().toList();
    }
  }

  /**
   * Copies whose frames are as long as what was captured of them: a frame that was cut is none that
   * could come over a wire.
   */
  static List<Path> whole(Path folder) throws IOException {
    List<Path> copies = new ArrayList<>();
    for (Path capture : all()) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(capture)).order(LITTLE_ENDIAN);
      int at = PCAP_HEADER_BYTES;
      while (at < bytes.capacity()) {
        int capturedBytes = bytes.getInt(at + CAPTURED_OFFSET);
        bytes.putInt(at + ON_WIRE_OFFSET, capturedBytes);
        at += RECORD_HEADER_BYTES + capturedBytes;
      }
      copies.add(Files.write(folder.resolve("" + capture.getFileName()), bytes.array()));
    }
    return copies;
  }

  /** Their records under the card's profile, in rings like a card's. */
  static RingDirectory replay(Path folder, List<Path> captures) {
    return replay(folder, captures, 1);
  }

  /** The same several times, one after the other. */
  static RingDirectory replay(Path folder, List<Path> captures, int laps) {
    RingDirectory directory = new RingDirectory(folder);
    try (ReplaySource source = new ReplaySource(new ReplayOptions(captures, laps));
        RingSetWriter writer =
            RingSetWriter.create(
                directory,
                new RingSpecification(
                    MadeFiles.SHAPE.ringCount(),
                    REPLAY_SLOTS_LOG2,
                    source.clock(),
                    MadeFiles.SHAPE.maxParallelism(),
                    "replay",
                    Optional.empty()),
                WhenFull.WAIT)) {
      new TapLoop(source, writer, ParserProfile.CARD, Pacer.unpaced()).run();
    }
    return directory;
  }
}
