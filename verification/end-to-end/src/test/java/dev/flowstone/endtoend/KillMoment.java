// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import java.util.Random;

/** When a job dies. Each is a moment at random, within what its name says. */
enum KillMoment {
  /** While it starts: before, during or just after it takes up its checkpoint. */
  START {
    @Override
    void await(KilledJob job, Random random) throws Exception {
      Thread.sleep(random.nextInt(1_000, 6_000));
    }
  },
  /** Under way, in a checkpoint or between two. */
  ANY {
    @Override
    void await(KilledJob job, Random random) throws Exception {
      job.awaitCheckpoint();
      Thread.sleep(random.nextInt(500, 2_500));
    }
  },
  /** A checkpoint has just become whole and its transactions are being committed. */
  COMMIT {
    @Override
    void await(KilledJob job, Random random) throws Exception {
      job.awaitCheckpoint();
      job.awaitCheckpoint();
      Thread.sleep(random.nextInt(20));
    }
  };

  abstract void await(KilledJob job, Random random) throws Exception;

  static KillMoment of(int kill) {
    return values()[kill % values().length];
  }
}
