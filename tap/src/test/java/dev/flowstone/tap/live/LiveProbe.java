// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.raw.SourceNotice;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A live source in a process of its own, and so in a network namespace, that does what it reads on
 * standard input and answers each line with one. Arguments: milliseconds until a block is handed
 * over.
 */
final class LiveProbe {
  private static final int BLOCKS = 4;

  private LiveProbe() {}

  public static void main(String[] arguments) throws IOException {
    LiveOptions options =
        LiveOptions.of(NetworkNamespace.INTERFACE)
            .withBuffer(BLOCKS, Duration.ofMillis(Integer.parseInt(arguments[0])));
    BufferedReader asked =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LiveSource source = new LiveSource(options);
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      for (String line = asked.readLine(); line != null; line = asked.readLine()) {
        System.out.println(answer(line, source, batch));
      }
    }
  }

  private static Object answer(String question, LiveSource source, RawPacketBatch batch) {
    return switch (question) {
      case "packets" -> source.fill(batch);
      case "idle clock" -> source.idleClockNs() == PacketSource.NO_TIME ? "silent" : "tells";
      case "merged" -> source.counters().notices().getOrDefault(SourceNotice.ABOVE_MTU, 0L);
      case "looks in a second" -> looks(source, batch);
      default -> "not known: " + question;
    };
  }

  private static int looks(LiveSource source, RawPacketBatch batch) {
    int looks = 0;
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    while (System.nanoTime() < endNs) {
      source.fill(batch);
      looks++;
    }
    return looks;
  }
}
