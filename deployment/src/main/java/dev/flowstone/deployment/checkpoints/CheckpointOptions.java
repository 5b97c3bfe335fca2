// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.checkpoints;

import dev.flowstone.deployment.StateFolder;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a job's state is, and whether a run resumes from it; alike for every way to run a job. */
public final class CheckpointOptions {
  @Option(
      names = "--checkpoints",
      paramLabel = "DIR",
      description =
          "Folder of this job's checkpoints and savepoints, and of no other's. The next job or submit of"
              + " this name resumes from the newest, and older ones are deleted. Default:"
              + " jobs/NAME/checkpoints in $FLOWSTONE_STATE, by default $XDG_STATE_HOME/flowstone or"
              + " ~/.local/state/flowstone.")
  private Optional<Path> folder = Optional.empty();

  @Option(
      names = "--fresh",
      description =
          "Starts from scratch although there is state of this name: with the oldest packets that the"
              + " rings still have, delivered before or not. The state is moved to a folder beside it."
              + " To resume from it, move it back.")
  private boolean fresh;

  /** The folder that was named, else the one that all commands of this user find by the name. */
  public CheckpointFolder of(String job) {
    return new CheckpointFolder(
        folder
            .orElseGet(() -> StateFolder.find().job(job).resolve("checkpoints"))
            .toAbsolutePath()
            .normalize());
  }

  /** The same; empty: no folder is named, and this user has no state folder. */
  public Optional<CheckpointFolder> ifKnown(String job) {
    return isFolderNamed() || StateFolder.isKnown() ? Optional.of(of(job)) : Optional.empty();
  }

  public boolean isFolderNamed() {
    return folder.isPresent();
  }

  public boolean fresh() {
    return fresh;
  }
}
