// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Draws an index with a given probability in constant time (Walker's alias method, Vose's set-up).
 *
 * <p>An index table of 64 Ki entries would round the rarest of 10,000 Zipf flows to nothing; this
 * keeps every weight to one part in 2^31.
 */
final class AliasTable {
  private final int[] threshold;
  private final int[] alias;

  AliasTable(double[] weights) {
    int count = weights.length;
    threshold = new int[count];
    alias = new int[count];
    double[] scaled = scaleToMeanOne(weights);
    int[] small = new int[count];
    int[] large = new int[count];
    int smallCount = 0;
    int largeCount = 0;
    for (int i = 0; i < count; i++) {
      if (scaled[i] < 1.0) {
        small[smallCount++] = i;
      } else {
        large[largeCount++] = i;
      }
    }
    while (smallCount > 0 && largeCount > 0) {
      int poor = small[--smallCount];
      int rich = large[largeCount - 1];
      set(poor, scaled[poor], rich);
      scaled[rich] -= 1.0 - scaled[poor];
      if (scaled[rich] < 1.0) {
        largeCount--;
        small[smallCount++] = rich;
      }
    }
    while (largeCount > 0) {
      int rest = large[--largeCount];
      set(rest, 1.0, rest);
    }
    while (smallCount > 0) {
      int rest = small[--smallCount]; // left over by rounding only
      set(rest, 1.0, rest);
    }
  }

  /** One random number chooses the column with its upper half and the side with its lower half. */
  int draw(long random) {
    int column = (int) (((random >>> 32) * threshold.length) >>> 32);
    return (int) (random & Integer.MAX_VALUE) < threshold[column] ? column : alias[column];
  }

  private void set(int index, double probability, int other) {
    threshold[index] = (int) Math.min(Integer.MAX_VALUE, probability * (1L << 31));
    alias[index] = other;
  }

  private static double[] scaleToMeanOne(double[] weights) {
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    double[] scaled = new double[weights.length];
    for (int i = 0; i < weights.length; i++) {
      scaled[i] = weights[i] * weights.length / sum;
    }
    return scaled;
  }
}
