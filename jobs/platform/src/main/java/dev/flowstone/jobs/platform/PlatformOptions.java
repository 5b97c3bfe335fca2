// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.jobs.endpoints.KafkaOptions;
import dev.flowstone.jobs.endpoints.PacketBatchOptions;
import dev.flowstone.jobs.endpoints.RingOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the job can be told; every option has a default but the rings. */
public final class PlatformOptions {
  @Mixin public RingOptions rings = new RingOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = PlatformCommand.NAME,
      description =
          "What this job is called; two jobs on the same rings or brokers must differ. Default"
              + " ${DEFAULT-VALUE}.")
  public String name = PlatformCommand.NAME;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      defaultValue = "packets",
      description =
          "Topic of the packet batches; it wants one partition for each ring. Default ${DEFAULT-VALUE}.")
  public String topic = "packets";

  @Mixin public KafkaOptions kafka = new KafkaOptions();

  @Mixin public PacketBatchOptions batches = new PacketBatchOptions();

  /** Throws for a value that makes no sense, by the name of its option. */
  void requireSense() {
    batches.requireSense();
    kafka.requireSense();
    rings.requireSense();
  }
}
