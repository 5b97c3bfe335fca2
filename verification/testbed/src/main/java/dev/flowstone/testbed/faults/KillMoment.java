// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import java.util.Random;

/** When a job dies. Each is a moment at random, within what its name says. */
public enum KillMoment {
  /** Under way and caught up with the tap, in a checkpoint or between two. */
  ANY(KillMoment.CAUGHT_UP) {
    @Override
    public void await(KilledJob job, Random random) throws Exception {
      job.awaitCheckpoint();
      Thread.sleep(random.nextInt(500, 2_500));
    }
  },
  /**
   * A checkpoint has just become whole and its transactions are being committed; the job may still
   * be catching up after the kill before.
   */
  COMMIT(KillMoment.HALF_WAY) {
    @Override
    public void await(KilledJob job, Random random) throws Exception {
      job.awaitCheckpoint();
      job.awaitCheckpoint();
      Thread.sleep(random.nextInt(20));
    }
  },
  /** While it starts: before, during or just after it takes up its checkpoint. */
  START(KillMoment.WHATEVER) {
    @Override
    public void await(KilledJob job, Random random) throws Exception {
      Thread.sleep(random.nextInt(1_000, 6_000));
    }
  };

  public static final double CAUGHT_UP = 0.95;
  private static final double HALF_WAY = 0.5;
  private static final double WHATEVER = 0;

  private final double freeShare;

  KillMoment(double freeShare) {
    this.freeShare = freeShare;
  }

  /** Share of each ring that is free before such a kill, so that the next start finds room. */
  public double freeShare() {
    return freeShare;
  }

  public abstract void await(KilledJob job, Random random) throws Exception;

  public static KillMoment of(int kill) {
    return values()[kill % values().length];
  }
}
