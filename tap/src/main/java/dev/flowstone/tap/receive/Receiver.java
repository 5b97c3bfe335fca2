// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.tap.datagram.DatagramBuffer;
import dev.flowstone.tap.datagram.Refusal;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Carries datagrams from a socket into a reception until it is stopped or the sender says that
 * nothing more comes. One thread runs it; any may stop it.
 */
public final class Receiver {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long WAIT_MS = 5;
  private static final long LAST_TAKE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final UdpInput input;
  private final Reception reception;
  private final List<AddressRange> from;

  /** The latest allowed source, which most datagrams have in common. */
  private Optional<InetAddress> allowed = Optional.empty();

  private volatile boolean stopping;

  /**
   * @param from addresses that may send; empty: any
   */
  public Receiver(UdpInput input, Reception reception, List<AddressRange> from) {
    this.input = input;
    this.reception = reception;
    this.from = List.copyOf(from);
  }

  public void run() {
    try (DatagramBuffer buffer = new DatagramBuffer()) {
      boolean ended = false;
      long lookedNs = System.nanoTime();
      while (!stopping && !ended) {
        long nowNs = System.nanoTime();
        if (!takeNext(buffer, nowNs)) {
          input.await(WAIT_MS);
        }
        if (nowNs - lookedNs >= LOOK_NS) {
          lookedNs = nowNs;
          reception.lookAtTime(nowNs);
          ended = reception.isEnded();
        }
      }
      takeTheLast(buffer);
    } finally {
      reception.end();
    }
  }

  /**
   * What the kernel holds is no loss yet, and a sender that ends says so several times. One that
   * goes on must not keep this from its end.
   */
  private void takeTheLast(DatagramBuffer buffer) {
    long endNs = System.nanoTime() + LAST_TAKE_NS;
    for (long nowNs = System.nanoTime(); nowNs - endNs < 0; nowNs = System.nanoTime()) {
      if (!takeNext(buffer, nowNs)) {
        input.await(WAIT_MS);
      }
    }
  }

  private boolean takeNext(DatagramBuffer buffer, long nowNs) {
    int lengthBytes = input.receive(buffer);
    if (lengthBytes == UdpInput.NOTHING) {
      return false;
    }
    take(buffer, lengthBytes, nowNs);
    return true;
  }

  private void take(DatagramBuffer buffer, int lengthBytes, long nowNs) {
    if (isAllowed(input.source().getAddress())) {
      reception.accept(buffer, lengthBytes, input.source(), nowNs);
    } else {
      reception.refuse(lengthBytes, Refusal.ADDRESS);
    }
  }

  private boolean isAllowed(InetAddress source) {
    if (from.isEmpty() || (allowed.isPresent() && allowed.get().equals(source))) {
      return true;
    }
    if (from.stream().noneMatch(range -> range.contains(source))) {
      return false;
    }
    allowed = Optional.of(source);
    return true;
  }

  /** Ends after what has come. */
  public void stop() {
    stopping = true;
  }
}
