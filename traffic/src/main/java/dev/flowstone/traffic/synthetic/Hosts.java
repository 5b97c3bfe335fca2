// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * Who talks to whom: popular hosts often, others rarely, by Zipf's law. A client has every port
 * once; then another host with a new address takes its place. So no two flows share a 5-tuple.
 */
final class Hosts {
  /** Clients that are there at a time, and servers. */
  static final int COUNT = 1 << 15;

  static final int FIRST_CLIENT_PORT = 1 << 15;
  static final int CLIENT_PORTS = 1 << 15;

  /** Behind the servers that flows draw: the flood's, the microbursts', those of pings. */
  static final int VICTIM = COUNT;

  static final int BURST_SERVER = COUNT + 1;
  static final int FIRST_PING_SERVER = COUNT + 2;

  /** Destinations of the SYNs of flows, scans and the flood. */
  static final int DESTINATIONS = 2 * (VICTIM + 1);

  /** Odd: each port once, in a scattered order. */
  private static final int PORT_STEP = 0x3A8D;

  private final AddressPlan clientAddresses;
  private final AddressPlan serverAddresses;
  private final ZipfPicker popularity = new ZipfPicker(COUNT);
  private final SplittableRandom random;
  private final int[] clients = new int[COUNT];
  private final int[] portsUsed = new int[COUNT];
  private int clientsSoFar = COUNT;

  Hosts(SplittableRandom random) {
    this.random = random;
    clientAddresses = new AddressPlan(0, random);
    serverAddresses = new AddressPlan(1, random);
    for (int i = 0; i < COUNT; i++) {
      clients[i] = i;
      portsUsed[i] = random.nextInt(CLIENT_PORTS);
    }
  }

  /** A client and a port of it that was in no flow before, one in each half of the number. */
  long drawClient() {
    int place = popularity.pick(random.nextLong());
    int port = FIRST_CLIENT_PORT + ((portsUsed[place] * PORT_STEP) & (CLIENT_PORTS - 1));
    long drawn = ((long) clients[place] << Integer.SIZE) | port;
    if (++portsUsed[place] >= CLIENT_PORTS) {
      portsUsed[place] = 0;
      clients[place] = clientsSoFar++ % AddressPlan.MAX_HOSTS;
    }
    return drawn;
  }

  static int host(long client) {
    return (int) (client >>> Integer.SIZE);
  }

  static int port(long client) {
    return (int) client;
  }

  int drawServer() {
    return popularity.pick(random.nextLong());
  }

  /** Numbers servers' addresses: each server has one of each family. */
  static int destination(int server, boolean ipv6) {
    return 2 * server + (ipv6 ? 1 : 0);
  }

  String destinationText(int destination) {
    return serverAddresses.endpoint(destination >>> 1, (destination & 1) != 0).text();
  }

  AddressPlan clients() {
    return clientAddresses;
  }

  AddressPlan servers() {
    return serverAddresses;
  }
}
