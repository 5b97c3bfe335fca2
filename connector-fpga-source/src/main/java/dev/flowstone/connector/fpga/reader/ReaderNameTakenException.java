// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.offheap.ring.LaneTakenException;
import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;

/**
 * Another job reads this ring under the same name, and is at work. Flink does not restart a job
 * that fails with it: the other one would be there the next time as well. Without a cause: this one
 * is what whoever looks for the root finds.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class ReaderNameTakenException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  ReaderNameTakenException(RingName ring, LaneTakenException rival) {
    super(ring + ": " + rival.getMessage());
  }
}
