// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.ScratchFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Savepoints of the platform job that earlier versions made, with state of every function: this
 * version goes on from each, and tells to the byte what a job tells that was never stopped.
 */
@Timeout(240)
class KeptSavepointITCase {
  @TempDir private Path folder;

  static List<KeptSavepoint> keptSavepoints() throws IOException {
    List<KeptSavepoint> kept = KeptSavepoint.all();
    assertThat(kept).isNotEmpty();
    return kept;
  }

  @ParameterizedTest
  @MethodSource("keptSavepoints")
  void shouldGoOnFromAKeptSavepoint(KeptSavepoint kept) throws Exception {
    try (ScratchFolder rings = ScratchFolder.inMemory("kept");
        KeptJob job =
            KeptJob.from(
                folder,
                kept.unpackRings(rings.path()),
                kept.unpackSavepoint(folder.resolve("kept")))) {
      job.awaitEnd();
      assertThat(job.told()).isEqualTo(kept.readExpected());
    }
  }
}
