// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ExitLimitTest {
  private static final int STATUS = 7;

  /** A program whose shutdown hook never ends. */
  static final class Hanging {
    public static void main(String[] arguments) {
      ExitLimit.set(Duration.ofMillis(100), STATUS);
      Runtime.getRuntime().addShutdownHook(new Thread(Hanging::hang));
      System.exit(0);
    }

    private static void hang() {
      while (true) {
        LockSupport.park();
      }
    }
  }

  @Test
  void shouldNotWaitForAShutdownHookThatNeverEnds() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Hanging.class.getName())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(STATUS);
    } finally {
      process.destroyForcibly();
    }
  }
}
