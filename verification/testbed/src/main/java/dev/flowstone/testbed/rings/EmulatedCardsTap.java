// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.rings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** {@code tap card} over emulated cards, as a process that ends with what comes in at them. */
public final class EmulatedCardsTap {
  /** Of each card. */
  public static final int RINGS = 2;

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private EmulatedCardsTap() {}

  /**
   * Starts one; whoever starts it closes it.
   *
   * @param folder for its report, {@code tap.json}, and all else that it leaves
   * @param feed what comes in at each card
   */
  public static ChildProcess start(Path folder, Path rings, int cards, String feed, String... more)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of("card", "--feed", feed));
    Collections.nCopies(cards, List.of("--device", "emulated")).forEach(arguments::addAll);
    arguments.addAll(List.of("--ring-count", "" + RINGS, "--ring-bytes", "16m"));
    arguments.addAll(List.of("--card-ring-bytes", "16m", "--rings", rings.toString()));
    arguments.addAll(List.of("--report", folder.resolve("tap.json").toString()));
    arguments.addAll(List.of(more));
    return ChildProcess.start(
        Programs.of(folder, "tap", "dev.flowstone.tap.command.TapCommand", arguments)
            .withJvmOptions(
                "-Xmx256m", "-XX:+UseSerialGC", "-Dflowstone.home=" + ProjectRoot.find()),
        ChildOutput.gatheredIn(folder));
  }

  /** Waits for its end; what it reports of its cards. */
  public static JsonNode awaitReport(ChildProcess tap, Path folder) throws Exception {
    Programs.requireSuccess(tap, LIMIT);
    return new ObjectMapper().readTree(folder.resolve("tap.json").toFile()).get("cards");
  }

  /** Fills rings that stay when it has ended; what it reports of its cards. */
  public static JsonNode fill(Path folder, Path rings, int cards, String feed, String... more)
      throws Exception {
    try (ChildProcess tap = start(folder, rings, cards, feed, more)) {
      return awaitReport(tap, folder);
    }
  }
}
