// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import org.apache.flink.api.connector.source.SourceEvent;

/** A reader of a bounded source tells that it has read all its rings to their ends. */
public final class ReaderDoneEvent implements SourceEvent {
  private static final long serialVersionUID = 1L;
}
