// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.deployment.job.KeptCheckpoints.Restorable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptCheckpointsTest {
  @TempDir private Path folder;

  private Path whole(String name, long second) throws IOException {
    Path checkpoint = Files.createDirectories(folder.resolve("kept").resolve(name));
    Path last = Files.createFile(checkpoint.resolve("_metadata"));
    Files.setLastModifiedTime(last, FileTime.fromMillis(second * 1_000));
    return checkpoint;
  }

  @Test
  void shouldGoOnFromTheNewestThatIsWhole() throws IOException {
    try (KeptCheckpoints kept = KeptCheckpoints.hold(folder.resolve("kept"))) {
      assertThat(kept.newest()).isEmpty();
      whole("first-run/chk-9", 100);
      Path savepoint = whole("savepoint-1", 300);
      whole("second-run/chk-2", 200);
      Files.createDirectories(folder.resolve("kept/second-run/chk-3"));
      assertThat(kept.newest().map(Restorable::path)).contains(savepoint);
    }
  }

  @Test
  void shouldPutAsideAndDeleteNothing() throws IOException {
    try (KeptCheckpoints kept = KeptCheckpoints.hold(folder.resolve("kept"))) {
      assertThat(kept.putAside()).isEmpty();
      whole("run/chk-1", 100);
      Path aside = kept.putAside().orElseThrow();
      assertThat(aside.resolve("run/chk-1/_metadata")).exists();
      assertThat(kept.newest()).isEmpty();
    }
  }

  @Test
  void shouldBelongToOneRunAtATime() throws IOException {
    Path place = folder.resolve("kept");
    try (KeptCheckpoints _ = KeptCheckpoints.hold(place)) {
      assertThatThrownBy(() -> KeptCheckpoints.hold(place)).hasMessageContaining("--name");
    }
    KeptCheckpoints.hold(place).close();
  }
}
