// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.split;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * One ring as a unit of work: which, and where to go on.
 *
 * @param stream which ring, wherever it is seen
 * @param name where it was seen last, for people
 * @param ringCount how many rings its tap fills; says which subtask should have it
 * @param start where to begin; a {@link RingStart.Resume} once it was read
 */
public record RingSplit(long stream, RingName name, int ringCount, RingStart start)
    implements SourceSplit {

  @Override
  public String splitId() {
    return StreamNumber.text(stream);
  }

  public int ring() {
    return StreamNumber.ring(stream);
  }
}
