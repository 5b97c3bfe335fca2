// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The emulated card's programs, built when they are out of date. */
final class BuiltEmulator {
  /** Names a folder where they are, in place of having them built. */
  private static final String PROGRAMS = "FLOWSTONE_EMULATOR";

  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private BuiltEmulator() {}

  /** Their folder. */
  static Path programs() throws IOException, InterruptedException {
    String named = System.getenv(PROGRAMS);
    if (named != null) {
      return Path.of(named);
    }
    Path hardware = hardwareFolder();
    if (!Files.isDirectory(hardware.resolve("emulator"))) {
      throw skipped("hw/emulator is not there, so nothing was tried on an emulated card");
    }
    make(hardware, "emulator");
    return hardware.resolve("target");
  }

  /** Whether there is a card of RTL, too; it is built where Verilator is. */
  static boolean hasRtl() throws IOException, InterruptedException {
    Path programs = programs();
    if (System.getenv(PROGRAMS) == null && hasVerilator()) {
      make(hardwareFolder(), "emulator-rtl");
    }
    return Files.exists(programs.resolve("flowstone-card-rtl"));
  }

  /**
   * Skips the test where its engine is not there.
   *
   * @param untried what then was not tried
   */
  static void requireEngine(String engine, String untried)
      throws IOException, InterruptedException {
    if (engine.equals("rtl") && !hasRtl()) {
      throw skipped(
          "flowstone-card-rtl is not there (verilator, make -C hw emulator-rtl), so " + untried);
    }
  }

  private static boolean hasVerilator() {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "verilator")));
  }

  /** Says it where people look, since a test that is skipped says nothing in most reports. */
  static RuntimeException skipped(String why) {
    if (SAID.add(why)) {
      System.err.println("SKIPPED: " + why);
    }
    Assumptions.abort(why);
    throw new AssertionError(why);
  }

  /**
   * Whoever has no compiler could not build the parser library either. One after another: tests run
   * in several JVMs.
   */
  private static void make(Path hardware, String target) throws IOException, InterruptedException {
    Process make =
        new ProcessBuilder("flock", ".", "make", "--silent", target)
            .directory(hardware.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(make.waitFor()).as(said).isZero();
  }

  private static Path hardwareFolder() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("hw/model/Makefile"))) {
      folder = folder.getParent();
    }
    return folder.resolve("hw");
  }
}
