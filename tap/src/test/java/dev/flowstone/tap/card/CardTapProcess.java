// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code ./flowstone tap} as a process of its own, beside an emulated card. */
final class CardTapProcess {
  private CardTapProcess() {}

  /** A tap of cards that are there; to it they are cards in the machine. */
  static ChildProcess start(
      CardLane lane, Emulator emulator, Path xclbin, Path folder, List<String> more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("card", "--ring-bytes", "16m"));
    arguments.addAll(List.of("--card-ring-bytes", "4m", "--xclbin", xclbin.toString()));
    if (lane == CardLane.FLOWSTONE) {
      arguments.addAll(List.of("--xrt", lane.libraryOption(emulator.programs())));
    }
    arguments.addAll(more);
    return start(
        folder,
        arguments,
        "FLOWSTONE_CARDS=" + emulator.cards(),
        "XILINX_XRT=" + emulator.programs().resolve("xrt"));
  }

  /** A tap that starts emulated cards itself, of these programs. */
  static ChildProcess startWithCards(Path programs, Path folder, List<String> arguments)
      throws IOException {
    return start(folder, arguments, "FLOWSTONE_EMULATOR=" + programs);
  }

  /**
   * @param environment as env(1) takes it
   */
  static ChildProcess start(Path folder, List<String> arguments, String... environment)
      throws IOException {
    List<String> launcher = new ArrayList<>(List.of("env"));
    launcher.addAll(List.of(environment));
    return ChildProcess.start(
        JavaProgram.of("tap", TapCommand.class.getName(), arguments)
            .withLauncher(launcher.toArray(String[]::new))
            .withJvmOptions(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-ea",
                "-Djava.io.tmpdir=" + folder),
        ChildOutput.gatheredIn(folder));
  }

  /** As Prometheus gets them. */
  static String metrics(int port) throws Exception {
    URI metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString()).body();
    }
  }
}
