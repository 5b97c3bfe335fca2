// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Flows without a state. UDP: QUIC downloads, media streams, questions with an answer; then others.
 * Of half of them both directions are seen, but of questions always. ICMP echoes, which have no
 * ports, go on for ever.
 */
final class DatagramFlow extends Flow {
  private static final int QUIC_PORT = 443;
  private static final int[] MEDIA_PORTS = {3478, 5060, 10_000, 27_015};
  private static final int[] QUESTION_PORTS = {53, 53, 53, 123, 161, 853};
  private static final int[] MOST_PACKETS_PER_ANSWER = {2, 4, 4, 10};
  private static final int[] QUIC_BYTES = {1200, 1232, 1250, 1350, 1357};

  /** Of 256 packets so many are shorter. */
  private static final int PART_OF_QUIC = 40;

  private static final int PART_OF_QUESTIONS = 255;
  private static final int QUIC_ANSWER_BYTES = 25;
  private static final int SMALLEST_MEDIA_BYTES = 20;
  private static final int MEDIA_BYTES = 200;
  private static final int SMALLEST_ANSWER_BYTES = 60;
  private static final int ANSWER_BYTES = 400;
  private static final int MOST_QUESTION_BYTES = 64;
  private static final int QUESTION_PACKETS = 2;
  private static final int PING_BYTES = 56;

  /** Of sixteen flows so many are questions, so many media; the others QUIC. */
  private static final int KINDS = 16;

  private static final int QUESTIONS = 4;
  private static final int MEDIA = 3;

  private static final int ECHO = 8;
  private static final int ECHO6 = 128;
  private static final int ECHO_REPLY6 = 129;
  private static final int ICMP_TYPE_SHIFT = 24;

  DatagramFlow(int rank, FlowTraits traits, FlowSetting setting) {
    super(rank, traits, setting);
    layTemplates();
  }

  @Override
  boolean writeOther() {
    endLife();
    ledger.lifeBegan();
    if (traits.protocol() == FlowTraits.Protocol.ICMP) {
      beginEchoes();
    } else {
      int kind = random.nextInt(KINDS);
      if (kind < QUESTIONS) {
        beginQuestion();
      } else if (kind < QUESTIONS + MEDIA) {
        beginMedia();
      } else {
        beginQuic();
      }
    }
    return false;
  }

  private void beginEchoes() {
    drawPartners(true);
    server = Hosts.FIRST_PING_SERVER + rank;
    clientPort = 0;
    serverPort = 0;
    int identifier = random.nextInt(1 << Short.SIZE) << Short.SIZE;
    int full = fixedOr(PING_BYTES);
    begin(shape(full, full, 1, 0), Integer.MAX_VALUE);
    template(true, (traits.ipv6() ? ECHO6 : ECHO) << ICMP_TYPE_SHIFT, identifier);
    template(false, traits.ipv6() ? ECHO_REPLY6 << ICMP_TYPE_SHIFT : 0, identifier);
  }

  private void beginQuestion() {
    drawPartners(true);
    serverPort = QUESTION_PORTS[random.nextInt(QUESTION_PORTS.length)];
    int answer = fixedOr(SMALLEST_ANSWER_BYTES + random.nextInt(ANSWER_BYTES));
    int question = fixedOr(MOST_QUESTION_BYTES);
    begin(shape(question, answer, 1, PART_OF_QUESTIONS), QUESTION_PACKETS);
    templates();
  }

  private void beginMedia() {
    drawPartners(true);
    serverPort = MEDIA_PORTS[random.nextInt(MEDIA_PORTS.length)];
    int bytes = fixedOr(SMALLEST_MEDIA_BYTES + random.nextInt(MEDIA_BYTES));
    begin(drawSeen(shape(bytes, bytes, 1, 0)), sizes.drawPackets(random));
    templates();
  }

  private void beginQuic() {
    drawPartners(false);
    serverPort = QUIC_PORT;
    int full = fixedOr(QUIC_BYTES[random.nextInt(QUIC_BYTES.length)]);
    int turns = MOST_PACKETS_PER_ANSWER[random.nextInt(MOST_PACKETS_PER_ANSWER.length)];
    long shape = shape(full, fixedOr(QUIC_ANSWER_BYTES), turns, PART_OF_QUIC);
    begin(drawSeen(TalkShape.withJitter(shape, !sizes.isFixed())), sizes.drawPackets(random));
    templates();
  }

  private long drawSeen(long shape) {
    boolean both = sizes.orderly() || random.nextBoolean();
    boolean one = random.nextBoolean();
    return TalkShape.withSeen(shape, both || one, both || !one);
  }

  private int fixedOr(int payloadBytes) {
    int headers = traits.transportOffset() + DatagramWriter.HEADER_BYTES;
    int wanted = sizes.isFixed() ? sizes.fullBytes(traits, headers, random) : payloadBytes;
    return Math.max(DatagramWriter.SMALLEST_PAYLOAD_BYTES, wanted);
  }

  private void begin(long shape, int packets) {
    blocks.shape(block, shape);
    blocks.left(block, packets, 1);
    blocks.sequences(block, 0);
  }

  private long shape(int fullBytes, int answerBytes, int mostTurns, int partOf256) {
    int part = sizes.isFixed() ? 0 : partOf256;
    int offset = traits.transportOffset();
    int words = DatagramWriter.HEADER_WORDS;
    long shape = TalkShape.pack(fullBytes, answerBytes, mostTurns, part, offset, words);
    boolean isEcho = traits.protocol() == FlowTraits.Protocol.ICMP;
    return TalkShape.withEcho(TalkShape.withIpv6(shape, traits.ipv6()), isEcho);
  }

  private void templates() {
    template(true, portsWord(true), 0);
    template(false, portsWord(false), 0);
  }

  private void template(boolean fromClient, int first, int second) {
    beginTemplate(fromClient);
    if (traits.protocol() == FlowTraits.Protocol.ICMP && !traits.ipv6()) {
      template.withoutPseudoHeader();
    }
    template.covered(first);
    template.covered(second);
    endTemplate(fromClient, 0);
  }
}
