// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.deployment.job.KeptCheckpoints.Restorable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;

/**
 * Where a run begins.
 *
 * @param from what it goes on from; empty: it begins anew
 * @param superseded what is not needed any more once it has a checkpoint of its own
 * @param words for people
 */
record Beginning(Optional<Restorable> from, SupersededCheckpoints superseded, String words) {

  /** While no run is at work in that folder. */
  static Beginning of(String job, KeptCheckpoints checkpoints, boolean anew) throws IOException {
    Optional<Path> aside = anew ? checkpoints.putAside() : Optional.empty();
    Optional<Restorable> newest = checkpoints.newest();
    return new Beginning(
        newest, checkpoints.supersededBy(newest), job + words(anew, aside, newest));
  }

  private static String words(boolean anew, Optional<Path> aside, Optional<Restorable> newest) {
    if (aside.isPresent()) {
      return " begins anew; its checkpoints are put aside in " + aside.get();
    }
    if (anew) {
      return " begins anew; there are no checkpoints";
    }
    return newest
        .map(from -> " goes on from " + from.path() + " of " + from.second())
        .orElse(" begins anew: no checkpoint of an earlier run");
  }

  /**
   * What it goes on from is the run's own then: Flink deletes it when it is not needed any more.
   */
  void putInto(Configuration configuration) {
    from.ifPresent(
        newest -> {
          configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, newest.path().toUri().toString());
          configuration.set(StateRecoveryOptions.RESTORE_MODE, RecoveryClaimMode.CLAIM);
        });
  }
}
