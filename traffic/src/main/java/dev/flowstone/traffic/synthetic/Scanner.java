// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/** One who looks for open ports: asks every server once, in a scattered order, then begins anew. */
final class Scanner {
  private static final int[] PORTS = {23, 22, 445, 3389, 8080, 6379, 5900, 1433, 2323, 5060};

  /** Odd: each server once. */
  private static final int SERVER_STEP = 0x55A7;

  private final Hosts hosts;
  private final SplittableRandom random;
  private long client;
  private int port;
  private int firstServer;
  private int asked = Hosts.COUNT;
  private int timeToLive;

  Scanner(Hosts hosts, SplittableRandom random) {
    this.hosts = hosts;
    this.random = random;
  }

  /** Goes on to the next server. */
  void next() {
    if (++asked >= Hosts.COUNT) {
      asked = 0;
      client = hosts.drawClient();
      port = PORTS[random.nextInt(PORTS.length)];
      firstServer = random.nextInt(Hosts.COUNT);
      timeToLive = Flow.drawTimeToLive(random);
    }
  }

  /** See {@link Hosts#drawClient}. */
  long client() {
    return client;
  }

  int server() {
    return (firstServer + asked * SERVER_STEP) & (Hosts.COUNT - 1);
  }

  int port() {
    return port;
  }

  int timeToLive() {
    return timeToLive;
  }
}
