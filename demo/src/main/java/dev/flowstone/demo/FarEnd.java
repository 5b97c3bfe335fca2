// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.KafkaTopic;
import java.io.IOException;

/** Who reads what the job delivers: its packets, and what its functions found. */
final class FarEnd implements AutoCloseable {
  private final BatchCounter packets = new BatchCounter();
  private final Findings findings = new Findings();
  private final TopicReader ofPackets;
  private final TopicReader ofResults;

  FarEnd(KafkaTopic packetsTopic, KafkaTopic resultsTopic) throws InterruptedException {
    ofPackets = new TopicReader(packetsTopic, this::takePackets);
    ofResults = new TopicReader(resultsTopic, findings::take);
  }

  private void takePackets(byte[] message) {
    findings.take(FlowBytes.of(packets.take(message)));
  }

  void start() {
    ofPackets.start();
    ofResults.start();
  }

  /** Throws with the reason if one of them reads no more. */
  void requireAlive() throws IOException {
    ofPackets.requireAlive();
    ofResults.requireAlive();
  }

  /** Reads all that is written now; throws if that does not come. */
  void drain() throws IOException, InterruptedException {
    ofPackets.drain();
    ofResults.drain();
  }

  BatchCounter packets() {
    return packets;
  }

  long packetMessages() {
    return ofPackets.messages();
  }

  Findings findings() {
    return findings;
  }

  long resultMessages() {
    return ofResults.messages();
  }

  @Override
  public void close() {
    ofPackets.close();
    ofResults.close();
  }
}
