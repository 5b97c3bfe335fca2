// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.time.Duration;

/**
 * How a receiver puts datagrams into their order.
 *
 * @param reorder datagrams of a ring among which the order may be another
 * @param patience how long one waits for those before it
 */
public record ReceiveOptions(int reorder, Duration patience) {
  public static final int USUAL_REORDER = 64;
  public static final int MOST_REORDER = 1024;
  public static final int USUAL_PATIENCE_MS = 50;
}
