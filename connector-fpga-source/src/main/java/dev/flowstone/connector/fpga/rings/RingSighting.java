// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.model.StreamNumber;
import java.io.Serializable;
import java.util.List;

/**
 * A ring that a reader sees on its host.
 *
 * @param stream what ring it is, over restarts of its tap
 * @param name where it was seen
 * @param ringCount how many rings its tap fills
 * @param incarnation of the producer that fills it now
 * @param ancestors incarnations before that, as far as the ring remembers
 * @param isTapAlive whether a tap is at work in its folder
 */
public record RingSighting(
    long stream,
    RingName name,
    int ringCount,
    long incarnation,
    List<Long> ancestors,
    boolean isTapAlive)
    implements Serializable {

  public RingSighting {
    ancestors = List.copyOf(ancestors);
  }

  /** Whether this is what became of the other. */
  public boolean follows(RingSighting other) {
    return ancestors.contains(other.incarnation);
  }

  /** Of two sights of one stream, the one to read. */
  public RingSighting newer(RingSighting other) {
    if (follows(other) || other.follows(this)) {
      return follows(other) ? this : other;
    }
    return other.isTapAlive && !isTapAlive ? other : this;
  }

  /**
   * Whether two taps fill one stream, if both were seen at the same moment. Happens when a folder
   * was copied.
   */
  public boolean isTwinOf(RingSighting other) {
    return stream == other.stream
        && incarnation != other.incarnation
        && isTapAlive
        && other.isTapAlive;
  }

  /** The same if one was seen later: then it may be what became of the other. */
  public boolean isRivalOf(RingSighting other) {
    return isTwinOf(other) && !follows(other) && !other.follows(this);
  }

  /** Whether the tap that filled a stream is at work here with so few rings that it has none. */
  public boolean hasGivenUp(long former) {
    return StreamNumber.tap(stream) == StreamNumber.tap(former)
        && ringCount <= StreamNumber.ring(former);
  }
}
