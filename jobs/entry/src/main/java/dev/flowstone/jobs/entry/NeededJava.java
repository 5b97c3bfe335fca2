// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

/** The Java that Flowstone's classes are compiled for. */
public final class NeededJava {
  private static final int FEATURE = 25;

  private NeededJava() {}

  /**
   * Says so where it is older.
   *
   * @throws TooOldJavaException if it is
   */
  public static void require(Runtime.Version version) {
    if (version.feature() < FEATURE) {
      throw new TooOldJavaException(FEATURE, version, System.getProperty("java.home"));
    }
  }
}
