// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * All readers of a bounded source are done, so that they may end. Ended while others still read,
 * one would stop the checkpoints of a job that has union list state in the source's chain, and with
 * them the release of the others' ring space.
 */
public final class AllReadersDoneEvent implements SourceEvent {
  private static final long serialVersionUID = 1L;
}
