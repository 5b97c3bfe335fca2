// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

/** Follows every TCP connection from its frames and fails at the first that breaks the rules. */
final class TcpChecker {
  private static final int FIN = 1;
  private static final int SYN = 2;
  private static final int ACK = 16;

  private static final class Side {
    private int next;
    private boolean known;
    private boolean finished;
  }

  private final Map<String, Side> sides = new HashMap<>();
  private final Map<String, Integer> seen = new HashMap<>();
  private int handshakes;
  private int closed;
  private int dataSegments;
  private int pureAcks;

  void accept(ParsedFrame frame) {
    if (!frame.isTcp()) {
      return;
    }
    int index = seen.merge(frame.conversation(), 1, Integer::sum) - 1;
    checkHandshake(frame, index);
    Side mine = sides.computeIfAbsent(frame.flow(), flow -> new Side());
    Side other = sides.computeIfAbsent(frame.reverseFlow(), flow -> new Side());
    if (mine.known) {
      assertThat(frame.sequence()).as(frame.toString()).isEqualTo(mine.next);
    }
    if ((frame.flags() & ACK) != 0) {
      assertThat(other.known).as(frame.toString()).isTrue();
      assertThat(frame.acknowledgement()).as(frame.toString()).isEqualTo(other.next);
    }
    boolean phantom = (frame.flags() & (SYN | FIN)) != 0;
    mine.known = true;
    mine.next = frame.sequence() + frame.payloadBytes() + (phantom ? 1 : 0);
    count(frame, mine, other);
  }

  private void checkHandshake(ParsedFrame frame, int index) {
    int expected = index == 0 ? SYN : index == 1 ? SYN | ACK : ACK;
    if (index < 3) {
      assertThat(frame.flags()).as("packet " + index + " of " + frame).isEqualTo(expected);
      assertThat(frame.payloadBytes()).isZero();
      handshakes += index == 2 ? 1 : 0;
    } else {
      assertThat(frame.flags() & SYN).as("late SYN " + frame).isZero();
    }
  }

  private void count(ParsedFrame frame, Side mine, Side other) {
    assertThat(mine.finished && frame.payloadBytes() > 0).as("data after FIN " + frame).isFalse();
    if ((frame.flags() & FIN) != 0) {
      mine.finished = true;
      closed += other.finished ? 1 : 0;
    } else if (frame.payloadBytes() > 0) {
      dataSegments++;
    } else {
      pureAcks++;
    }
  }

  int handshakes() {
    return handshakes;
  }

  int closed() {
    return closed;
  }

  int dataSegments() {
    return dataSegments;
  }

  int pureAcks() {
    return pureAcks;
  }
}
