// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

/** Where chunks go. One thread; its maker closes it. */
interface ChunkStore extends AutoCloseable {

  /**
   * Writes a chunk; each line once or more, which leaves one row.
   *
   * @return how many of its lines the store does not want
   * @throws StoreAwayException if some may not be written: to be tried again as a whole
   * @throws TableAwayException if that is so of this table, and may be otherwise of others
   */
  int write(LineChunk chunk) throws StoreAwayException, InterruptedException;

  @Override
  void close();
}
