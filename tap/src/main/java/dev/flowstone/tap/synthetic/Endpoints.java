// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * Who talks to whom: the addresses and ports of each slot's present connection.
 *
 * <p>A client address belongs to one slot, so a 5-tuple is new whenever its slot takes a source
 * port it has not had. After {@value #PORTS} connections the slot goes on with its next client
 * address, and only after {@link #DISTINCT_CONNECTIONS} it begins to repeat itself. That is why
 * distinct tuples can be counted exactly at birth, without remembering them.
 */
final class Endpoints {
  static final int PORTS = 64_512;
  static final int GENERATIONS = 16;
  static final int DISTINCT_CONNECTIONS = PORTS * GENERATIONS;

  private static final int FIRST_PORT = 1024;
  private static final int SLOT_BITS = 20;
  private static final int CLIENT_NETWORK_V4 = 10 << 24; // 10.0.0.0/8
  private static final int SERVER_NETWORK_V4 = 198 << 24 | 18 << 16; // 198.18.0.0/15
  private static final long CLIENT_NETWORK_V6 = 0x2001_0db8_0001_0000L;
  private static final long SERVER_NETWORK_V6 = 0x2001_0db8_0002_0000L;
  private static final int CLIENTS_PER_SERVER_SHIFT = 3;
  private static final int[] TCP_SERVICES = {443, 443, 443, 80, 80, 8443, 22, 25};

  private final TrafficPlan plan;
  private final int[] connection;
  private final char[] portShift;
  private final char[] serverPort;

  Endpoints(TrafficPlan plan, XorShift random) {
    this.plan = plan;
    int slots = plan.slots();
    connection = new int[slots];
    portShift = new char[slots];
    serverPort = new char[slots];
    for (int slot = 0; slot < slots; slot++) {
      portShift[slot] = (char) random.nextInt(PORTS);
      serverPort[slot] = (char) servicePort(plan.conversation(slot), random);
    }
  }

  private static int servicePort(Conversation conversation, XorShift random) {
    return switch (conversation) {
      case TCP_BULK, TCP_SMALL -> TCP_SERVICES[random.nextInt(TCP_SERVICES.length)];
      case DNS -> 53;
      case QUIC -> 443;
      case BURST -> 5001;
      case ICMP, ARP -> 0;
    };
  }

  /** Moves the slot to its next connection: another source port, at times another client. */
  void nextConnection(int slot) {
    int next = connection[slot] + 1;
    connection[slot] = next == 2 * DISTINCT_CONNECTIONS ? DISTINCT_CONNECTIONS : next;
  }

  /** Whether the slot's present tuple was used by an earlier connection. */
  boolean repeats(int slot) {
    return connection[slot] >= DISTINCT_CONNECTIONS;
  }

  int clientPort(int slot) {
    if (!plan.conversation(slot).hasPorts()) {
      return 0;
    }
    return FIRST_PORT + (portShift[slot] + connection[slot] % PORTS) % PORTS;
  }

  int serverPort(int slot) {
    return serverPort[slot];
  }

  int clientV4(int slot) {
    return CLIENT_NETWORK_V4 | clientNumber(slot);
  }

  int serverV4(int slot) {
    return SERVER_NETWORK_V4 + serverNumber(slot);
  }

  static long clientNetworkV6() {
    return CLIENT_NETWORK_V6;
  }

  static long serverNetworkV6() {
    return SERVER_NETWORK_V6;
  }

  /** Number of the client, also the low half of its IPv6 address. */
  int clientNumber(int slot) {
    return connection[slot] / PORTS % GENERATIONS << SLOT_BITS | slot;
  }

  /** Number of the server, also the low half of its IPv6 address. */
  static int serverNumber(int slot) {
    return slot >>> CLIENTS_PER_SERVER_SHIFT;
  }

  /** Number of the server at this IPv4 address; negative or too large if there is none. */
  static int serverNumberOf(int addressV4) {
    return addressV4 - SERVER_NETWORK_V4;
  }

  static int servers(int slots) {
    return serverNumber(slots - 1) + 1;
  }

  /** The 5-tuple of the slot's present connection as sent by the client (0) or the server (1). */
  FlowTuple tuple(int slot, int direction) {
    FlowTuple fromClient =
        new FlowTuple(
            clientAddress(slot),
            serverAddress(serverNumber(slot), plan.ipv6(slot)),
            plan.protocol(slot),
            clientPort(slot),
            serverPort(slot));
    return direction == 0 ? fromClient : fromClient.reversed();
  }

  static IpAddress serverAddress(int serverNumber, boolean ipv6) {
    return ipv6
        ? IpAddress.v6(SERVER_NETWORK_V6, serverNumber)
        : IpAddress.v4(SERVER_NETWORK_V4 + serverNumber);
  }

  private IpAddress clientAddress(int slot) {
    return plan.ipv6(slot)
        ? IpAddress.v6(CLIENT_NETWORK_V6, clientNumber(slot))
        : IpAddress.v4(clientV4(slot));
  }
}
