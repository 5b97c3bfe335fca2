// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.processes.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CapturesTest {
  private static final Windows ONE = new Windows(List.of(1.0));

  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private final String named = System.getProperty(Captures.PROPERTY);
  private final String home = System.getProperty(Captures.HOME);

  @BeforeEach
  void beWithoutEither() {
    System.clearProperty(Captures.PROPERTY);
    System.clearProperty(Captures.HOME);
  }

  @AfterEach
  void restore() {
    set(Captures.PROPERTY, named);
    set(Captures.HOME, home);
  }

  private static void set(String property, String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }

  @Test
  void shouldSayInTheLineWhichCapturesWereUsed() throws Exception {
    touch("office/mix/a.pcap");
    touch("office/mix/b.pcap");
    touch("office/c.pcap");
    System.setProperty(Captures.PROPERTY, folder.resolve("office").toString());

    BenchResult result = new OnMixes(new Looks()).run(BenchScale.SMOKE);

    JsonNode line = new ObjectMapper().readTree(result.toJson());
    assertThat(List.of(line.get("mix").asText(), line.at("/other_mix/mix").asText()))
        .containsExactlyInAnyOrder("backbone", "resampled, 2 captures of office/mix");
  }

  @Test
  void shouldMissCapturesBeforeAnythingIsMeasured() throws Exception {
    Looks benchmark = new Looks();
    System.setProperty(Captures.PROPERTY, folder.resolve("none").toString());
    assertThatThrownBy(() -> new OnMixes(benchmark).run(BenchScale.SMOKE))
        .hasMessageEndingWith("none: cannot list the captures");
    System.setProperty(Captures.PROPERTY, folder.toString());
    assertThatThrownBy(() -> new OnMixes(benchmark).run(BenchScale.SMOKE))
        .hasMessageContaining("no file *.pcap");
    assertThat(benchmark.runs).isZero();
  }

  /** Measures nothing. */
  private static final class Looks implements MixBenchmark {
    private int runs;

    @Override
    public String name() {
      return "looks";
    }

    @Override
    public String description() {
      return name();
    }

    @Override
    public Steps steps(BenchScale scale) {
      return Steps.NONE;
    }

    @Override
    public BenchResult run(Mix mix, BenchScale scale) {
      runs++;
      return new BenchResult(name(), "x", BenchResult.Better.MORE, ONE, ONE, "same", Map.of());
    }
  }

  @Test
  void shouldTakeThoseOfTheProjectThatTheLauncherNames() throws Exception {
    Path own = touch("project/traffic/captures/own.pcap");
    System.setProperty(Captures.HOME, folder.resolve("project").toString());

    assertThat(Captures.mixed()).containsExactly(own);
  }

  @Test
  void shouldBeTheSameInTheProcessesOfAMeasurement() throws Exception {
    Path capture = touch("named/a.pcap");
    System.setProperty(Captures.PROPERTY, folder.resolve("named").toString());
    System.setProperty(Captures.HOME, folder.toString());

    try (ChildProcess process =
        MeasuredProcess.start("names", folder, NamesCaptures.class.getName(), List.of())) {
      process.requireSuccess(END_LIMIT);
      assertThat(process.output()).isEqualTo("[" + capture + "] at home in " + folder + "\n");
    }
  }

  private Path touch(String name) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }

  /** What a tap of a measurement would play. */
  static final class NamesCaptures {
    private NamesCaptures() {}

    public static void main(String[] arguments) {
      System.out.println(Captures.mixed() + " at home in " + System.getProperty(Captures.HOME));
    }
  }
}
