// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.io.IOException;

/** Of which job whoever asks a store is to ask. */
@FunctionalInterface
interface ShownJob {
  /**
   * Its name; "" where there is no job, of which no store knows anything.
   *
   * @throws IOException if Flink has not been seen so far
   */
  String name() throws IOException, InterruptedException;
}
