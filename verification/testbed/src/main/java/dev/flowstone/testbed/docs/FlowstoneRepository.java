// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A folder with Flowstone's artifacts, laid out as Maven wants a repository: what the writer of a
 * job has of Flowstone. The property flowstone.repository names one that {@code ./flowstone dist}
 * has made; else it is laid out as that does, from what this build has packaged.
 */
final class FlowstoneRepository {
  private static final String PLACE = "flowstone.repository";
  private static final String LAYS_OUT = "build-support/maven-repository.sh";

  private FlowstoneRepository() {}

  static Path in(Path folder) throws IOException, InterruptedException {
    String existing = System.getProperty(PLACE);
    return existing == null ? make(folder) : Path.of(existing);
  }

  private static Path make(Path folder) throws IOException, InterruptedException {
    Path repository = folder.resolve("repository");
    Path said = folder.resolve("repository.txt");
    Process process =
        new ProcessBuilder(ProjectRoot.find().resolve(LAYS_OUT).toString(), repository.toString())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(said)).isZero();
    return repository;
  }
}
