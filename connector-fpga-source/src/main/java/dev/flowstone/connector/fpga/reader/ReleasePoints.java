// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How far one ring may be released when a checkpoint completes. A checkpoint that was aborted, or
 * of which nothing was heard, releases nothing by itself; the next that completes covers it.
 */
final class ReleasePoints {
  /** Checkpoints remembered; beyond that the oldest is forgotten, which only delays a release. */
  static final int MOST_CHECKPOINTS = 128;

  private record Point(long incarnation, long position) {}

  private final TreeMap<Long, Point> points = new TreeMap<>();

  void snapshot(long checkpointId, long incarnation, long position) {
    points.put(checkpointId, new Point(incarnation, position));
    if (points.size() > MOST_CHECKPOINTS) {
      points.pollFirstEntry();
    }
  }

  void aborted(long checkpointId) {
    points.remove(checkpointId);
  }

  /** The position below which the incarnation is not needed any more. */
  OptionalLong completed(long checkpointId, long incarnation) {
    Map.Entry<Long, Point> latest = points.floorEntry(checkpointId);
    if (latest == null) {
      return OptionalLong.empty();
    }
    points.headMap(checkpointId, true).clear();
    Point point = latest.getValue();
    return point.incarnation == incarnation
        ? OptionalLong.of(point.position)
        : OptionalLong.empty();
  }
}
