// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class AnomalyOptionsTest {
  @TempDir private Path folder;

  private static final class Line {
    @Mixin private AnomalyOptions options;
  }

  private static AnomalyOptions options(String... arguments) {
    Line line = new Line();
    new CommandLine(line)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(
            Stream.concat(Stream.of("--rings", "/rings"), Stream.of(arguments))
                .toArray(String[]::new));
    return line.options;
  }

  private static List<Detector> detectors(String... arguments) {
    RulesInForce rules = RulesInForce.of(1, options(arguments).liveRules().begin());
    assertThat(rules.size()).isEqualTo(1);
    return ((Anomaly) rules.function(0)).detectors();
  }

  private Path file(String rules) throws IOException {
    return Files.writeString(folder.resolve("rules.yaml"), rules);
  }

  @Test
  void shouldDetectSynFloodsAsTheFieldsExampleHasThem() {
    assertThat(detectors()).containsExactly(DetectorRun.detector(Kind.SYN_FLOOD, 10));
    assertThat(options().topic).isEqualTo("syn-attacks");
  }

  /** As milliseconds, such a window would miss every flood. */
  @Test
  void rejectsAWindowWithoutAUnit() {
    assertThatThrownBy(() -> options("--window", "5"))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("'--window'")
        .hasMessageContaining("expected a number with a unit");
    assertThat(options("--window", "5 s").window).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void shouldTakeThresholdsOfDetectorsBeforeTheCommonOne() {
    List<Detector> detectors =
        detectors(
            "--detect",
            "syn_flood=7,host_scan",
            "--threshold",
            "9",
            "--window",
            "2s",
            "--slide",
            "500ms");

    assertThat(detectors).extracting(Detector::threshold).containsExactly(7L, 9L);
    assertThat(detectors).extracting(each -> each.window().toMillis()).containsOnly(2_000L);
    assertThat(detectors).extracting(each -> each.slide().toMillis()).containsOnly(500L);
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertThatThrownBy(() -> options("--detect", "flood"))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("no detector flood; there are: syn_flood, udp_flood");
    assertThatThrownBy(() -> options("--detect", "syn_flood=many"))
        .hasMessageContaining("not a threshold, such as syn_flood=10: syn_flood=many");
    assertThatThrownBy(() -> options("--window", "5s", "--slide", "3s").requireSense())
        .hasMessageContaining("--slide: window must be 1 to 60 times slide: 5s and 3s");
    assertThatThrownBy(() -> options("--topic", "a/b").requireSense())
        .hasMessageStartingWith("--topic: ");
  }

  @Test
  void shouldTakeRulesOfAFile() throws IOException {
    Path rules =
        file("rules: []\ndefault: {function: {anomaly: [{detect: udp_flood, threshold: 3}]}}");

    assertThat(detectors("--rules", rules.toString()))
        .containsExactly(DetectorRun.detector(Kind.UDP_FLOOD, 3));
    assertThatThrownBy(
            () -> options("--rules", rules.toString(), "--threshold", "3").requireSense())
        .hasMessageContaining("leave those out");
  }

  @Test
  void shouldRefuseRulesThatThisJobCannotServe() throws IOException {
    Path rules = file("rules: []\ndefault: {function: pass}");

    assertThatThrownBy(() -> options("--rules", rules.toString()).requireSense())
        .hasMessageContaining("rule default has the function pass");
  }
}
