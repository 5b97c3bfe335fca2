// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture is found whatever bytes it is called by, and in every locale. */
class CaptureNameTest {
  /** As {@code ./flowstone} starts a tap, but it does not build first. */
  private static final String LAUNCH =
      """
      say() { printf '%s\\n' "$*" >&2; }
      fail_usage() { say "flowstone: $*"; exit 2; }
      source ../build-support/arguments.sh
      cd "$FOLDER"
      speak_utf8
      arguments_for_java "${NAMES[@]}"
      exec "$JAVA" --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -cp "$CLASS_PATH" \
        "$MAIN" replay --rings rings --ring-bytes 64k "${ARGUMENTS[@]}"
      """;

  @TempDir Path folder;

  private record Ended(int status, String said) {}

  /**
   * @param before what the shell does in the folder with the capture before it starts the tap
   * @param names of captures, as the shell takes them
   */
  private Ended replay(String locale, String before, String names)
      throws IOException, InterruptedException {
    new CaptureBytes(ByteOrder.LITTLE_ENDIAN)
        .pcapHeader(0xa1b2c3d4, 1)
        .pcapRecord(1, 0, 60, 60)
        .writeTo(folder.resolve("capture"));
    String prepare = "(cd \"$FOLDER\" && %s)%nNAMES=(%s)%n".formatted(before, names);
    ProcessBuilder shell =
        new ProcessBuilder("bash", "-c", prepare + LAUNCH).redirectErrorStream(true);
    shell.environment().put("LC_ALL", locale);
    shell.environment().put("FOLDER", folder.toString());
    shell.environment().put("CLASS_PATH", System.getProperty("java.class.path"));
    shell.environment().put("JAVA", System.getProperty("java.home") + "/bin/java");
    shell.environment().put("MAIN", TapCommand.class.getName());
    Process process = shell.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }

  @Test
  void shouldFindACaptureWhoseNameIsNotUtf8() throws IOException, InterruptedException {
    Ended ended =
        replay(
            "C.UTF-8", "cp capture $'caf\\351.pcap'", "$'caf\\351.pcap' capture $'caf\\351.pcap'");
    assertThat(ended.said())
        .contains("$'caf\\351.pcap' is not UTF-8: here it goes by the name of /proc/")
        .contains("3 packets offered = 3 written");
    assertThat(ended.status()).isZero();
  }

  @Test
  void shouldFindACaptureWhoseNameIsNotAsciiInALocaleThatKnowsOnlyThat()
      throws IOException, InterruptedException {
    Ended ended = replay("C", "cp capture $'Z\\303\\274rich.pcap'", "$'Z\\303\\274rich.pcap'");
    assertThat(ended.said()).contains("replay Zürich.pcap -> ").contains("1 packets offered");
    assertThat(ended.status()).isZero();
  }

  @Test
  void shouldSayWhatCannotBeNamedAndIsNotThere() throws IOException, InterruptedException {
    assertThat(replay("C.UTF-8", "true", "capture $'caf\\351.pcap'"))
        .isEqualTo(
            new Ended(
                2,
                "flowstone: $'caf\\351.pcap' is not UTF-8, and no file or folder that can be read\n"));
  }
}
