// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

/** What becomes of results when no more can wait for a store that is away. */
public enum WhenFull {
  /** The oldest are dead letters. */
  DROP,

  /** The job fails. */
  FAIL
}
