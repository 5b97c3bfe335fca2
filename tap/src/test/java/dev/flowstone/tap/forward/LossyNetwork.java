// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.tap.datagram.DatagramBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Loses, doubles and reorders datagrams, as a seed decides. */
final class LossyNetwork implements DatagramOutput, AutoCloseable {
  /** Takes a datagram that arrives. */
  interface Arrival {
    void accept(DatagramBuffer buffer, int lengthBytes);
  }

  private static final int IN_ALL = 100;

  private final Random random;
  private final List<byte[]> underWay = new ArrayList<>();
  private final DatagramBuffer buffer = new DatagramBuffer();
  private int lostOfHundred;
  private int doubledOfHundred;
  private int mostOvertaking;
  private long lost;
  private long doubled;

  /** One that loses nothing as yet. */
  LossyNetwork(Random random) {
    this.random = random;
  }

  /**
   * @param mostOvertaking datagrams that one may overtake
   */
  void spoil(int lostOfHundred, int doubledOfHundred, int mostOvertaking) {
    this.lostOfHundred = lostOfHundred;
    this.doubledOfHundred = doubledOfHundred;
    this.mostOvertaking = mostOvertaking;
  }

  /** From now on all arrives once and in order. */
  void heal() {
    lostOfHundred = 0;
    doubledOfHundred = 0;
    mostOvertaking = 0;
  }

  @Override
  public boolean send(ByteBuffer datagram) {
    byte[] bytes = new byte[datagram.remaining()];
    datagram.get(bytes);
    if (random.nextInt(IN_ALL) < lostOfHundred) {
      lost++;
      return true;
    }
    put(bytes);
    if (random.nextInt(IN_ALL) < doubledOfHundred) {
      doubled++;
      put(bytes);
    }
    return true;
  }

  private void put(byte[] bytes) {
    int overtaken = Math.min(underWay.size(), random.nextInt(mostOvertaking + 1));
    underWay.add(underWay.size() - overtaken, bytes);
  }

  /** Up to so many arrive. */
  void carry(int most, Arrival arrival) {
    int count = Math.min(most, underWay.size());
    for (byte[] bytes : underWay.subList(0, count)) {
      buffer.toFill().put(bytes);
      arrival.accept(buffer, bytes.length);
    }
    underWay.subList(0, count).clear();
  }

  boolean isEmpty() {
    return underWay.isEmpty();
  }

  /** Nothing that is under way arrives. */
  void loseAll() {
    lost += underWay.size();
    underWay.clear();
  }

  long lost() {
    return lost;
  }

  long doubled() {
    return doubled;
  }

  @Override
  public void close() {
    buffer.close();
  }
}
