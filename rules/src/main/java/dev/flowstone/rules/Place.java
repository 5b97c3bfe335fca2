// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import java.util.Comparator;

/** Where something stands in a file; both count from 1. */
public record Place(int line, int column) implements Comparable<Place> {
  private static final Comparator<Place> ORDER =
      Comparator.comparingInt(Place::line).thenComparingInt(Place::column);

  public static final Place START = new Place(1, 1);

  @Override
  public int compareTo(Place other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return line + ":" + column;
  }
}
