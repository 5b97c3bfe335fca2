// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.demo.DemoCommand;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.command.StatsCommand;
import dev.flowstone.testbed.captures.HandMadeCapture;
import dev.flowstone.testbed.faults.SmallDisk;
import dev.flowstone.testbed.programs.Programs;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every way to use the programs wrongly: one line that says what to do, and a status not zero. Each
 * program also runs as a process, where the JVM could print lines of its own.
 */
class ErrorsITCase {
  private static final int WRONG_USE = 2;
  private static final int FAILED = 1;

  private static final String JOB = "dev.flowstone.deployment.job.JobCommand";
  private static final String TAP = "dev.flowstone.tap.command.TapCommand";
  private static final String STATS = "dev.flowstone.tap.command.StatsCommand";
  private static final String DEMO = "dev.flowstone.demo.DemoCommand";

  @TempDir private Path folder;

  @Test
  void shouldNameTheWrongOptionAndTheHelp() throws Exception {
    for (String program : List.of(TAP, STATS, DEMO)) {
      assertOneLine(WRONG_USE, "--no-such-option.*--help", program, "--no-such-option");
    }
    assertOneLine(WRONG_USE, "--rate.*--help", TAP, "synthetic", "--rate", "many");
    assertOneLine(
        WRONG_USE,
        "'--metrics'.*: not a port.*: 9400x; see",
        TAP,
        "synthetic",
        "--metrics",
        "9400x");
    assertOneLine(
        WRONG_USE, "--seconds must be 1 to 31536000", new DemoCommand(), "--seconds", "0");
  }

  @Test
  void shouldSayHowToMakeAMissingRing() throws Exception {
    String missing = folder.resolve("ring-0000").toString();
    assertOneLine(FAILED, Pattern.quote(missing) + ".*tap", new StatsCommand(), missing);
    assertOneLine(FAILED, "no ring files there; start", new StatsCommand(), folder.toString());
  }

  @Test
  void shouldRefuseAFileThatIsNoRing() throws Exception {
    Path foreign = folder.resolve("foreign");
    Files.write(foreign, new byte[1 << 20]);
    assertOneLine(FAILED, "not a ring file", new StatsCommand(), foreign.toString());
    Path tiny = folder.resolve("tiny");
    Files.write(tiny, new byte[100]);
    assertOneLine(FAILED, "tiny", new StatsCommand(), tiny.toString());
  }

  @Test
  void shouldRefuseATruncatedRing() throws Exception {
    Path ring = makeRing();
    try (RandomAccessFile file = new RandomAccessFile(ring.toFile(), "rw")) {
      file.setLength(file.length() - 64);
    }
    assertOneLine(FAILED, "truncated.*start the tap again", new StatsCommand(), ring.toString());
  }

  @Test
  void shouldRefuseARingOfAnotherVersion() throws Exception {
    Path ring = makeRing();
    try (RandomAccessFile file = new RandomAccessFile(ring.toFile(), "rw")) {
      file.seek(RingFileHeaderLayout.ABI_VERSION_OFFSET);
      file.write(99);
    }
    assertOneLine(FAILED, "version 99.*same release", new StatsCommand(), ring.toString());
  }

  @Test
  void shouldSayWhatIsWrongWithACapture() throws Exception {
    Path noise = folder.resolve("noise.pcap");
    Files.writeString(noise, "this is not a capture at all");
    String rings = folder.resolve("rings").toString();
    assertOneLine(FAILED, "noise.pcap", TAP, "replay", noise.toString(), "--rings", rings);
    String missing = folder.resolve("missing.pcap").toString();
    assertOneLine(FAILED, "missing.pcap", TAP, "replay", missing, "--rings", rings);
    assertThat(Path.of(rings)).as("no rings for nothing").doesNotExist();
  }

  @Test
  void shouldSayWhichOptionAvoidsABusyPort() throws Exception {
    try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(busy.getLocalPort());
      assertOneLine(
          FAILED, "port " + port + " is taken.*--web-port", new DemoCommand(), "--web-port", port);
      assertOneLine(
          FAILED,
          "port " + port + ".*--kafka-port",
          new DemoCommand(),
          "--web-port",
          "0",
          "--kafka-port",
          port);
    }
  }

  /** Before anything is started that would have to be closed again. */
  @Test
  void shouldRefuseAtOnceWhatTheDemoCannotDo() throws Exception {
    String text = Files.writeString(folder.resolve("text.pcap"), "no capture").toString();
    refuseDemo(FAILED, "no interface nosuch0|CAP_NET_RAW", "--live", "nosuch0");
    refuseDemo(FAILED, "text.pcap: offset 0: found", "--pcap", text);
    refuseDemo(FAILED, "/nope.pcap: no such file$", "--pcap", "/nope.pcap");
    refuseDemo(WRONG_USE, "cannot write /proc/x.json: ", "--report", "/proc/x.json");
    refuseDemo(WRONG_USE, "--ring-bytes.*100t", "--ring-bytes", "100t");
    refuseDemo(FAILED, "the rings require .*--ring-bytes", "--ring-bytes", "256g");
    refuseDemo(WRONG_USE, "/nope: no such folder.*--data", "--data", "/nope");
  }

  @Test
  void shouldMakeRoomForTheDemoAndRefuseWhatFindsNone() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"))) {
      Path left = Files.createDirectory(disk.path().resolve("flowstone-demo-killed"));
      Files.createFile(left.resolve("demo.lock"));
      String[] arguments = {"--data", disk.path().toString(), "--seconds", "60"};
      try (ChildProcess demo = Programs.run(folder, DEMO, arguments)) {
        assertThat(demo.output()).contains("removed what a killed demo left: " + left);
        assertThat(demo.errors()).containsPattern("Kafka's messages require .*--seconds.*--data");
      }
      assertThat(left).doesNotExist();
    }
  }

  /** Before anything is written there. */
  @Test
  void shouldNameTheFullFolderAndTheSpaceThatAJobRequires() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(Programs.state(folder));
        ChildProcess job = Programs.run(folder, JOB, "platform", "--rings", "rings")) {
      assertThat(job.end().status()).as(job.errors()).isEqualTo(FAILED);
      assertThat(job.output()).isEmpty();
      assertThat(job.errors())
          .matches(
              "flowstone: \\Q%s/jobs/platform\\E: .* require 64 MiB, [34] MiB are free; .*FLOWSTONE_STATE.*\n"
                  .formatted(disk.path()));
    }
  }

  private Path makeRing() throws Exception {
    Path capture = folder.resolve("hand-made.pcap");
    HandMadeCapture.write(capture);
    Path rings = folder.resolve("rings");
    String[] arguments = {
      "replay",
      capture.toString(),
      "--rings",
      rings.toString(),
      "--ring-count",
      "1",
      "--ring-bytes",
      "1m"
    };
    try (ChildProcess tap = Programs.run(folder, TAP, arguments)) {
      assertThat(tap.errors()).contains("6 packets offered = 6 written + 0 dropped");
    }
    try (var files = Files.list(rings)) {
      return files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
  }

  /** The demo prints nothing, which it does as soon as it starts something. */
  private static void refuseDemo(int status, String pattern, String... arguments) {
    assertThat(assertOneLine(status, pattern, new DemoCommand(), arguments)).isEmpty();
  }

  /** Runs the program as a process. */
  private void assertOneLine(int status, String pattern, String program, String... arguments)
      throws Exception {
    try (ChildProcess process = Programs.run(folder, program, arguments)) {
      assertOneLine(pattern, process.errors());
      assertThat(process.end().status()).as(process.errors()).isEqualTo(status);
    }
  }

  /** Runs the command in this JVM, and returns its output besides the line. */
  private static String assertOneLine(
      int status, String pattern, Object command, String... arguments) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream usualOutput = System.out;
    PrintStream usualErrors = System.err;
    System.setOut(new PrintStream(output, true, UTF_8));
    System.setErr(new PrintStream(errors, true, UTF_8));
    try {
      assertThat(CommandRunner.run(command, arguments))
          .as(errors.toString(UTF_8))
          .isEqualTo(status);
    } finally {
      System.setOut(usualOutput);
      System.setErr(usualErrors);
    }
    assertOneLine(pattern, errors.toString(UTF_8));
    return output.toString(UTF_8);
  }

  private static void assertOneLine(String pattern, String errors) {
    assertThat(errors.strip()).startsWith("flowstone: ").containsPattern(pattern).hasLineCount(1);
  }
}
