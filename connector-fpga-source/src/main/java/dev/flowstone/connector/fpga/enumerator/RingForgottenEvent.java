// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import org.apache.flink.api.connector.source.SourceEvent;

/** A reader no longer follows a ring, because its tap has given the ring up. */
public record RingForgottenEvent(long stream) implements SourceEvent {
  private static final long serialVersionUID = 1L;
}
