// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code ./flowstone sql} as a process. */
public final class SqlProgram {
  private static final Path ROOT = ProjectRoot.find();

  private SqlProgram() {}

  /**
   * Starts it; the caller closes it.
   *
   * @param folder for what it says
   * @param state where it looks for a demo
   * @param configuration Flink's
   */
  public static ChildProcess start(
      Path folder, Path state, Path configuration, List<String> arguments) throws IOException {
    return ChildProcess.start(
        Programs.of(folder, "sql", "dev.flowstone.sql.client.SqlCommand", arguments)
            .withLauncher(
                "env",
                "--default-signal=INT",
                "FLOWSTONE_STATE=" + state,
                "FLINK_CONF_DIR=" + configuration)
            .withJvmOptions("-Xmx512m", "-XX:TieredStopAtLevel=1", "-Dflowstone.home=" + ROOT),
        ChildOutput.gatheredIn(folder));
  }
}
