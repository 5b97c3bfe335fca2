// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import org.apache.flink.api.connector.source.SourceEvent;

/** The enumerator wants to know what a reader sees now, whether that changed or not. */
public final class LookAgainEvent implements SourceEvent {
  private static final long serialVersionUID = 1L;

  private final long look;

  public LookAgainEvent(long look) {
    this.look = look;
  }

  /** Which look this is; the reader's reports say which was the last that it was asked for. */
  public long look() {
    return look;
  }
}
