// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.sampling;

import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The job as it is asked for on a command line. */
@Command(
    name = SamplingCommand.NAME,
    mixinStandardHelpOptions = true,
    description =
        "Carries a sample of the packets of a tap's rings to Kafka, as packet batches that say how"
            + " many packets each of theirs stands for; addresses as they are, or made anonymous.",
    footer = {
      "",
      "One packet of 100, and all that open or end a TCP connection, anonymous:",
      "  ./flowstone job sampling --rings /dev/shm/flowstone \\",
      "      --bootstrap-servers kafka:9092 --one-in 100 --keep-syn-fin-rst \\",
      "      --anonymise campus --anonymise-key campus=campus.key"
    })
public final class SamplingCommand implements CommandLineJob {
  static final String NAME = "sampling";

  @Mixin private SamplingOptions options;

  @Override
  public String name() {
    return options.name;
  }

  @Override
  public void check(JobStart start) throws InterruptedException {
    options.requireSense();
    SamplingJob.source(options).requireFreeReaderName();
    options.kafka.check(options.topics(options.rings.check(start)), start);
  }

  @Override
  public void build(StreamExecutionEnvironment environment) {
    SamplingJob.build(environment, options);
  }
}
