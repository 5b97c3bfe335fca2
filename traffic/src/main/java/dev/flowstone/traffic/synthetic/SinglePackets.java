// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import dev.flowstone.traffic.synthetic.FlowTraits.Protocol;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;

/**
 * Flows of one packet: scans, questions whose answer takes another way or never comes, and what
 * servers answer to those who never asked.
 */
final class SinglePackets {
  private static final FlowTraits[] TRAITS = {
    new FlowTraits(Protocol.TCP, false, 0),
    new FlowTraits(Protocol.TCP, true, 0),
    new FlowTraits(Protocol.UDP, false, 0),
    new FlowTraits(Protocol.UDP, true, 0)
  };

  private static final int TCP = 0;
  private static final int UDP = 2;
  private static final int IPV6_OF = 7;

  /** Of sixteen packets so many scan, ask over UDP, answer over UDP; others are TCP's. */
  private static final int KINDS = 16;

  private static final int SCANS = 6;
  private static final int QUESTIONS = 5;
  private static final int ANSWERS = 2;

  private static final int[] TCP_FLAGS = {
    SegmentWriter.SYN,
    SegmentWriter.SYN,
    SegmentWriter.SYN | SegmentWriter.ACK,
    SegmentWriter.RST | SegmentWriter.ACK
  };
  private static final int[] TCP_PORTS = {443, 80, 22, 25};
  private static final int[] UDP_PORTS = {53, 53, 123, 443, 6881, 1900};
  private static final int WINDOWS = 1 << Short.SIZE;
  private static final int SMALLEST_PAYLOAD_BYTES = 20;
  private static final int PAYLOAD_BYTES = 60;

  private static final int SCANNERS = 4;
  private static final int SCAN_WINDOW = 1024;

  private final Hosts hosts;
  private final FlowLedger ledger;
  private final FrameSlots slots;
  private final PacketClock clock;
  private final SplittableRandom random;
  private final int smallestFrameBytes;
  private final Scanner[] scanners;
  private final FrameTemplate frame = new FrameTemplate();
  private final long[] packetsByTraits = new long[TRAITS.length];
  private long packets;
  private long scans;

  SinglePackets(SyntheticOptions options, FlowSetting setting, FrameSlots slots) {
    this.slots = slots;
    hosts = setting.hosts();
    ledger = setting.ledger();
    clock = setting.clock();
    random = setting.random();
    smallestFrameBytes = setting.sizes().smallestFrameBytes();
    scanners = new Scanner[options.scans() ? SCANNERS : 0];
    for (int i = 0; i < scanners.length; i++) {
      scanners[i] = new Scanner(hosts, random);
    }
  }

  void write() {
    int first = scanners.length > 0 ? 0 : SCANS;
    int kind = first + random.nextInt(KINDS - first);
    if (kind < SCANS) {
      scan(scanners[random.nextInt(scanners.length)]);
    } else {
      int family = random.nextInt(IPV6_OF) == 0 ? 1 : 0;
      if (kind < SCANS + QUESTIONS + ANSWERS) {
        datagram(UDP + family, kind < SCANS + QUESTIONS);
      } else {
        segment(TCP + family, TCP_FLAGS[random.nextInt(TCP_FLAGS.length)]);
      }
    }
  }

  private void scan(Scanner scanner) {
    scanner.next();
    scans++;
    begin(TCP, true, scanner.client(), scanner.server(), scanner.timeToLive());
    ports(true, scanner.client(), scanner.port());
    frame.covered(random.nextInt());
    frame.covered(0);
    frame.covered(
        SegmentWriter.flagsWord(SegmentWriter.HEADER_WORDS, SegmentWriter.SYN, SCAN_WINDOW));
    frame.covered(0);
    ledger.synSent(Hosts.destination(scanner.server(), false), clock.nowNs());
    finish(
        TCP, true, scanner.client(), scanner.server(), scanner.port(), SegmentWriter.HEADER_BYTES);
  }

  private void segment(int traits, int flags) {
    boolean fromClient = flags == SegmentWriter.SYN;
    boolean hasOptions = (flags & SegmentWriter.SYN) != 0;
    long client = hosts.drawClient();
    int server = hosts.drawServer();
    int port = TCP_PORTS[random.nextInt(TCP_PORTS.length)];
    int words = SegmentWriter.HEADER_WORDS + (hasOptions ? SegmentWriter.SYN_OPTIONS.length : 0);
    begin(traits, fromClient, client, server, Flow.drawTimeToLive(random));
    ports(fromClient, client, port);
    frame.covered(random.nextInt());
    frame.covered((flags & SegmentWriter.ACK) != 0 ? random.nextInt() : 0);
    frame.covered(SegmentWriter.flagsWord(words, flags, random.nextInt(WINDOWS)));
    frame.covered(0);
    if (hasOptions) {
      for (int option : SegmentWriter.SYN_OPTIONS) {
        frame.covered(option);
      }
    }
    ledger.sent(flags, Hosts.destination(server, TRAITS[traits].ipv6()), clock.nowNs());
    finish(traits, fromClient, client, server, port, words * Integer.BYTES);
  }

  private void datagram(int traits, boolean fromClient) {
    long client = hosts.drawClient();
    int server = hosts.drawServer();
    int port = UDP_PORTS[random.nextInt(UDP_PORTS.length)];
    begin(traits, fromClient, client, server, Flow.drawTimeToLive(random));
    ports(fromClient, client, port);
    frame.covered(0);
    frame.covered(random.nextInt());
    frame.covered(random.nextInt());
    int payloadBytes = SMALLEST_PAYLOAD_BYTES + random.nextInt(PAYLOAD_BYTES);
    finish(traits, fromClient, client, server, port, DatagramWriter.HEADER_BYTES + payloadBytes);
  }

  private void begin(int traits, boolean fromClient, long client, int server, int timeToLive) {
    boolean ipv6 = TRAITS[traits].ipv6();
    frame.begin(slots.memory(), slots.offset());
    frame.ethernet(fromClient, TRAITS[traits]);
    frame.ip(TRAITS[traits], 0, 0, timeToLive);
    if (fromClient) {
      frame.address(hosts.clients(), Hosts.host(client), ipv6);
      frame.address(hosts.servers(), server, ipv6);
    } else {
      frame.address(hosts.servers(), server, ipv6);
      frame.address(hosts.clients(), Hosts.host(client), ipv6);
    }
  }

  private void ports(boolean fromClient, long client, int serverPort) {
    int clientPort = Hosts.port(client);
    frame.covered(
        fromClient
            ? (clientPort << Short.SIZE) | serverPort
            : (serverPort << Short.SIZE) | clientPort);
  }

  private void finish(
      int traits, boolean fromClient, long client, int server, int port, int transportBytes) {
    frame.finish(TRAITS[traits], transportBytes);
    int contentBytes = TRAITS[traits].transportOffset() + transportBytes;
    int wireBytes = Math.max(smallestFrameBytes, contentBytes);
    packets++;
    packetsByTraits[traits]++;
    ledger.oneWayTuples(1);
    if (ledger.wantsSinglePackets()) {
      FlowTuple toServer = tuple(TRAITS[traits], client, server, port);
      ledger.oneWay(
          fromClient ? toServer : toServer.reversed(),
          TallyFigures.single(clock.nowNs(), wireBytes));
    }
    slots.append(0, clock.nowNs(), wireBytes);
    clock.advance();
  }

  private FlowTuple tuple(FlowTraits traits, long client, int server, int port) {
    return new FlowTuple(
        hosts.clients().endpoint(Hosts.host(client), traits.ipv6()),
        hosts.servers().endpoint(server, traits.ipv6()),
        traits.ipProtocol(),
        Hosts.port(client),
        port);
  }

  long packets() {
    return packets;
  }

  long scans() {
    return scans;
  }

  /** Tells how many packets there were of each kind. */
  void count(ObjLongConsumer<FlowTraits> counter) {
    for (int i = 0; i < TRAITS.length; i++) {
      counter.accept(TRAITS[i], packetsByTraits[i]);
    }
  }
}
