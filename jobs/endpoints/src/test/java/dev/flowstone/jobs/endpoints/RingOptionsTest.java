// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.jobs.entry.JobStart;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RingOptionsTest {
  private static final int KEY_GROUPS = 64;

  @TempDir private Path folder;
  private final List<String> said = new ArrayList<>();
  private final RingOptions options = new RingOptions();

  private int check(int parallelism, int maxParallelism, String... folders) {
    said.clear();
    options.folders = List.of(folders).stream().map(folder::resolve).toList();
    return options.check(new JobStart(parallelism, maxParallelism, said::add));
  }

  private void makeRings(String name) {
    RingSetWriter.create(
            new RingDirectory(folder.resolve(name)),
            new RingSpecification(2, 10, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
            WhenFull.DROP)
        .close();
  }

  @Test
  void shouldSayWhatDoesNotSuitTheRings() {
    makeRings("a");
    makeRings("b");
    assertThat(check(4, KEY_GROUPS, "a", "b")).isEqualTo(4);
    assertThat(said).isEmpty();

    check(9, KEY_GROUPS, "a");
    assertThat(said).singleElement().asString().contains("--parallelism is 9, and 2 rings are");

    check(2, 128, "a", "b");
    assertThat(said)
        .hasSize(2)
        .allMatch(line -> line.startsWith("warning: " + folder))
        .allMatch(line -> line.contains("64 key groups and this job has 128"))
        .allMatch(line -> line.endsWith("--max-parallelism 128"));
  }

  @Test
  void shouldTellTheSourceFromWhenOnPacketsAreLate() {
    options.folders = List.of(folder);
    options.outOfOrderness = Duration.ofSeconds(3);
    options.requireSense();
    assertThat(options.source("job").build().options().outOfOrderness())
        .isEqualTo(Duration.ofSeconds(3));

    options.outOfOrderness = Duration.ofHours(2);
    assertThatThrownBy(options::requireSense)
        .hasMessageContaining("--out-of-orderness must be 0")
        .hasMessageContaining("0s to 1h");
  }

  /** A tap may come later, or be on another host. */
  @Test
  void shouldNotJudgeRingsThatItDoesNotSee() {
    makeRings("a");
    assertThat(check(9, KEY_GROUPS, "a", "elsewhere")).isZero();
    assertThat(said).isEmpty();
  }
}
