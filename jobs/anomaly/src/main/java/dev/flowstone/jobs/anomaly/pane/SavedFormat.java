// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.IOException;

/** State that says how it was written. */
public final class SavedFormat {
  private SavedFormat() {}

  /** Throws if state is of another format than this release knows. */
  public static void require(String whose, int found, int known) throws IOException {
    if (found != known) {
      throw new IOException(
          "state of %s of format %d, this release knows %d; restore with the release that wrote the checkpoint"
              .formatted(whose, found, known));
    }
  }
}
