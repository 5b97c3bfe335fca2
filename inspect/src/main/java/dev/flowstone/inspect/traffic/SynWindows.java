// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.inspect.count.InspectLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Counts SYNs by window, destination address and port. Open addressing, at most half full: an
 * object per key, none per packet.
 */
final class SynWindows {
  private static final int FIRST_SLOTS = 64;

  private static final class Cell {
    final long windowStartNs;
    final long addressHigh;
    final long addressLow;
    final boolean ipv4;
    final int port;
    long count;

    Cell(long windowStartNs, long addressHigh, long addressLow, boolean ipv4, int port) {
      this.windowStartNs = windowStartNs;
      this.addressHigh = addressHigh;
      this.addressLow = addressLow;
      this.ipv4 = ipv4;
      this.port = port;
    }

    boolean is(long otherWindowNs, long high, long low, boolean otherIpv4, int otherPort) {
      return addressLow == low
          && port == otherPort
          && windowStartNs == otherWindowNs
          && addressHigh == high
          && ipv4 == otherIpv4;
    }

    SynCount toCount() {
      return new SynCount(windowStartNs, addressHigh, addressLow, ipv4, port, count);
    }
  }

  private Cell[] cells = new Cell[FIRST_SLOTS];
  private final InspectLimits limits;
  private int size;

  SynWindows(InspectLimits limits) {
    this.limits = limits;
  }

  void add(long timeNs, long addressHigh, long addressLow, boolean ipv4, int port) {
    long windowStartNs = Math.floorDiv(timeNs, SynCount.WINDOW_NS) * SynCount.WINDOW_NS;
    int index = firstSlot(windowStartNs, addressHigh, addressLow, port);
    while (cells[index] != null
        && !cells[index].is(windowStartNs, addressHigh, addressLow, ipv4, port)) {
      index = index + 1 & cells.length - 1;
    }
    if (cells[index] == null) {
      cells[index] = new Cell(windowStartNs, addressHigh, addressLow, ipv4, port);
      size++;
      limits.requireSynWindows(size);
    }
    cells[index].count++;
    if (size * 2 > cells.length) {
      grow();
    }
  }

  private int firstSlot(long windowStartNs, long addressHigh, long addressLow, int port) {
    long hash = windowStartNs;
    hash = hash * 31 + addressHigh;
    hash = hash * 31 + addressLow;
    hash = (hash * 31 + port) * 0x9E3779B97F4A7C15L;
    return (int) (hash >>> Integer.SIZE) & cells.length - 1;
  }

  private void grow() {
    Cell[] old = cells;
    cells = new Cell[old.length * 2];
    for (Cell cell : old) {
      if (cell != null) {
        int index = firstSlot(cell.windowStartNs, cell.addressHigh, cell.addressLow, cell.port);
        while (cells[index] != null) {
          index = index + 1 & cells.length - 1;
        }
        cells[index] = cell;
      }
    }
  }

  List<SynCount> counts() {
    return Arrays.stream(cells).filter(Objects::nonNull).map(Cell::toCount).toList();
  }
}
