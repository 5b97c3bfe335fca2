// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.model.FlowTuple;

/** Both directions of a flow. A direction that never spoke, as in a flood, costs nothing. */
final class Conversation {
  final FlowTuple tuple;
  final int hash;
  private FlowFigures forward;
  private FlowFigures backward;

  /** Null while only one direction spoke. */
  private FlowFigures both;

  /** A conversation without a packet yet; the tuple is canonical. */
  Conversation(FlowTuple tuple, int hash) {
    this.tuple = tuple;
    this.hash = hash;
  }

  /**
   * Adds a packet that was sent forward or backward.
   *
   * @return whether it is the first that way
   */
  boolean add(Direction sent, int frameLength, long timeNs, boolean timed) {
    FlowFigures own = figures(sent);
    boolean begins = own == null;
    if (begins) {
      own = begin(sent);
    }
    own.add(frameLength, timeNs, timed);
    if (both != null) {
      both.add(frameLength, timeNs, timed);
    }
    return begins;
  }

  private FlowFigures begin(Direction sent) {
    FlowFigures other = sent == Direction.FORWARD ? backward : forward;
    if (other != null) {
      both = new FlowFigures(other);
    }
    FlowFigures begun = new FlowFigures();
    if (sent == Direction.FORWARD) {
      forward = begun;
    } else {
      backward = begun;
    }
    return begun;
  }

  /** Null if nothing was sent that way. */
  FlowFigures figures(Direction direction) {
    return switch (direction) {
      case FORWARD -> forward;
      case BACKWARD -> backward;
      case BOTH -> both != null ? both : forward != null ? forward : backward;
    };
  }
}
