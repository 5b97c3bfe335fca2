// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python package finds in messages what the Java decoder finds, in every field of every one.
 */
class PythonReaderTest {
  private static final int MESSAGES = 400;

  @TempDir Path scratch;

  @Test
  @Timeout(180)
  void shouldFindWhatJavaFinds() throws Exception {
    final String python = pythonWithNumpy();
    assumeTrue(
        python != null,
        "NOT CHECKED: no python3 with numpy here, so nobody else read Java's messages");
    final long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("PythonReaderTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    final Path messages = scratch.resolve("messages");
    writeMessages(messages, seed);
    final Path script = Path.of("src/test/python/compare_messages.py").toAbsolutePath();
    final Process comparison =
        new ProcessBuilder(python, "-B", script.toString(), messages.toString())
            .redirectErrorStream(true)
            .start();
    final String said =
        new String(comparison.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(comparison.waitFor()).as("seed %d: %s", seed, said).isZero();
    assertThat(said).startsWith(MESSAGES + " messages agree");
    System.out.print(said);
  }

  /** Each message's length, the message, the length of what Java says of it, and that. */
  private static void writeMessages(Path file, long seed) throws IOException {
    final AnyMessages messages = new AnyMessages(seed);
    final PacketBatchDecoder decoder = new PacketBatchDecoder();
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < MESSAGES; i++) {
        final byte[] message = messages.next();
        final PacketBatch batch = PacketBatch.decode(decoder, message);
        writeWithLength(out, message);
        writeWithLength(
            out, BatchText.of(batch.header(), batch.records()).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static void writeWithLength(OutputStream out, byte[] bytes) throws IOException {
    final byte[] length = new byte[Integer.BYTES];
    LittleEndian.INT.set(length, 0, bytes.length);
    out.write(length);
    out.write(bytes);
  }

  /** That of the notebooks' tests where there is one. */
  private static String pythonWithNumpy() throws Exception {
    final Path ofNotebooks = Path.of("../build/venv/bin/python").toAbsolutePath().normalize();
    for (String python : new String[] {ofNotebooks.toString(), "python3"}) {
      if (hasNumpy(python)) {
        return python;
      }
    }
    return null;
  }

  private static boolean hasNumpy(String python) throws InterruptedException {
    try {
      final Process process =
          new ProcessBuilder(python, "-c", "import numpy")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException notThere) {
      return false;
    }
  }
}
