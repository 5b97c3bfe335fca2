// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildEndedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TapProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @TempDir private Path folder;

  private TapProcess start(TrafficOptions traffic) throws Exception {
    traffic.ringBytes = 1 << 20;
    return TapProcess.start(traffic, folder.resolve("rings"), folder);
  }

  @Test
  void shouldNameTheSignalOfATapThatIsKilled() throws Exception {
    try (TapProcess tap = start(new TrafficOptions())) {
      tap.awaitRings(new RingDirectory(folder.resolve("rings")), 2);
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      tap.awaitEnd(LIMIT);
      assertThat(tap.ask().ended()).as("a last word").isFalse();
      assertThatThrownBy(tap::requireSuccess)
          .isInstanceOf(ChildEndedException.class)
          .hasMessageStartingWith("the tap ended with SIGKILL (");
    }
  }

  @Test
  void shouldPassOnEachWarningOnce() throws Exception {
    try (TapProcess tap = start(new TrafficOptions())) {
      tap.awaitRings(new RingDirectory(folder.resolve("rings")), 2);
      assertThat(tap.newWarnings())
          .singleElement()
          .asString()
          .startsWith("warning: rings of 1 MiB last");
      assertThat(tap.newWarnings()).isEmpty();
    }
  }

  @Test
  void shouldRepeatTheTapsOwnWords() throws Exception {
    TrafficOptions traffic = new TrafficOptions();
    traffic.live = Optional.of("no-such-interface");
    try (TapProcess tap = start(traffic)) {
      RingDirectory rings = new RingDirectory(folder.resolve("rings"));
      assertThatThrownBy(() -> tap.awaitRings(rings, 2))
          .isInstanceOfSatisfying(
              ChildEndedException.class, e -> assertThat(e.hasSaidWhy()).isTrue())
          .hasMessageStartingWith("the tap failed: ")
          .hasMessageContaining("no-such-interface");
    }
  }
}
