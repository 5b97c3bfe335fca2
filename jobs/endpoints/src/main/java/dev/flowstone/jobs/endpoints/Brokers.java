// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** What brokers tell of themselves and their topics; the causes of failures are Kafka's own. */
interface Brokers {

  /** A setting of each broker that has it. */
  List<String> setting(String name)
      throws ExecutionException, InterruptedException, TimeoutException;

  /** How many partitions a topic has. Asking makes no topic; one that is not there is a failure. */
  int partitions(String topic) throws ExecutionException, InterruptedException, TimeoutException;
}
