// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The terminal belongs to the commands, also while the disk of the log is full. */
class UnwritableLogTest {
  private static final int LINES = 500;

  @TempDir private Path folder;

  /** What Flink does all the time. */
  static final class Program {
    public static void main(String[] arguments) {
      for (int i = 0; i < LINES; i++) {
        LoggerFactory.getLogger(Program.class).warn("line", new IllegalStateException("cause"));
      }
      System.out.println("written");
    }
  }

  @Test
  void printsNothingWhereTheLogCannotBeWritten() throws Exception {
    JavaProgram program =
        JavaProgram.of("logging", Program.class.getName(), List.of())
            .withJvmOptions("-Dflowstone.log=/dev/full", "-Xmx64m");
    try (ChildProcess process = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      process.requireSuccess(Duration.ofMinutes(1));
      assertThat(process.output()).isEqualTo("written\n");
      assertThat(process.errors()).isEmpty();
    }
  }
}
