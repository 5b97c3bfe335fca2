// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.execution.Environment;

/**
 * The bytes of results that all QuestDB operators of one job in one process may hold. One operator
 * may hold up to half of them while the others hold little. Beyond that each has an equal share of
 * the other half. What all hold together exceeds the limit by one line for each operator at most,
 * and by what a checkpoint held.
 *
 * <p>Thread-safe.
 */
final class ResultMemory implements AutoCloseable {
  private final long halfBytes;
  private int owners;
  private long heldBytes;

  ResultMemory(long limitBytes) {
    halfBytes = limitBytes / 2;
  }

  /**
   * Returns the memory that the operators of this job share in this TaskManager. It exists until
   * each of its lessees has released it.
   */
  static ResultMemory shared(Environment environment, Object lessee, long limitBytes)
      throws Exception {
    return environment
        .getSharedResources()
        .getOrAllocateSharedResource(
            nameFor(environment.getJobID()), lessee, ResultMemory::new, limitBytes)
        .resourceHandle();
  }

  static void release(Environment environment, Object lessee) throws Exception {
    environment.getSharedResources().release(nameFor(environment.getJobID()), lessee, _ -> {});
  }

  private static String nameFor(JobID job) {
    return "results for QuestDB of job " + job;
  }

  synchronized void addOwner() {
    owners++;
  }

  synchronized void removeOwner(long ownBytes) {
    owners--;
    heldBytes -= ownBytes;
  }

  /**
   * Adds to what an owner holds if there is room. An owner that holds nothing always has room for
   * one line.
   */
  synchronized boolean tryHold(long ownBytes, long moreBytes) {
    boolean hasRoom =
        ownBytes == 0
            || heldBytes + moreBytes <= halfBytes
            || ownBytes + moreBytes <= halfBytes / owners;
    if (hasRoom) {
      heldBytes += moreBytes;
    }
    return hasRoom;
  }

  /** Adds what a checkpoint held, which no limit can refuse. */
  synchronized void hold(long moreBytes) {
    heldBytes += moreBytes;
  }

  synchronized void release(long bytes) {
    heldBytes -= bytes;
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  /** Called by Flink when the last lessee has released it. */
  @Override
  public void close() {}
}
