// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.io.Serializable;
import java.net.URI;

/** What the options say, on its way to the cluster. No message repeats what authorizes. */
record QuestDbDelivery(
    URI address, String authorization, long bufferBytes, WhenFull whenFull, String job)
    implements Serializable {

  static QuestDbDelivery of(QuestDbOptions options, String job) {
    return new QuestDbDelivery(
        options.address, options.authorization(), options.bufferBytes, options.whenFull, job);
  }

  ChunkStore connect(DeadLetterLog deadLetters) {
    return new QuestDbStore(new QuestDb(address, authorization), deadLetters);
  }

  @Override
  public String toString() {
    return "results to " + address;
  }
}
