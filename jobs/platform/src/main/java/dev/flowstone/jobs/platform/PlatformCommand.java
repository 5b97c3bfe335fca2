// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The job as it is asked for on a command line. */
@Command(
    name = PlatformCommand.NAME,
    mixinStandardHelpOptions = true,
    description = "Carries every packet of a tap's rings to Kafka, as packet batches.")
public final class PlatformCommand implements CommandLineJob {
  static final String NAME = "platform";

  @Mixin private PlatformOptions options;

  @Override
  public String name() {
    return options.name;
  }

  @Override
  public void check(JobStart start) throws InterruptedException {
    options.requireSense();
    PlatformJob.source(options).requireFreeReaderName();
    options.kafka.check(List.of(options.topic), options.rings.check(start), start);
  }

  @Override
  public void build(StreamExecutionEnvironment environment) {
    PlatformJob.build(environment, options);
  }
}
