// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What {@code docs/sql.md} tells its reader to type beside statements, and where he types it. */
public final class SqlPage {
  private static final Path ROOT = ProjectRoot.find();
  private static final Pattern EXAMPLE =
      Pattern.compile("^ {4}(\\./flowstone sql .*-e .*)$", Pattern.MULTILINE);

  private SqlPage() {}

  /** Commands that ask one thing, in their order. */
  public static List<String> examples() throws IOException {
    return EXAMPLE
        .matcher(Files.readString(ROOT.resolve("docs/sql.md")))
        .results()
        .map(line -> line.group(1))
        .toList();
  }

  /**
   * A terminal in the project's folder, where nothing is built and no Flink is named.
   *
   * @param state where programs look for a demo and a cluster
   * @param variables that are set there besides
   */
  public static Terminal type(Path state, String command, String... variables) throws IOException {
    return Terminal.open(
        ROOT,
        state,
        "unset FLINK_CONF_DIR; export FLOWSTONE_BUILT=yes "
            + String.join(" ", variables)
            + "\n"
            + command);
  }
}
