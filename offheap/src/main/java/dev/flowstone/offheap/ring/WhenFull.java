// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** What a tap does when its readers leave no room. */
public enum WhenFull {
  /** Drop, count and leave a LOSS record: a wire cannot be stopped. */
  DROP,
  /** Wait for the readers: a file can. */
  WAIT
}
