// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.jobs.entry.CommandLineJob;
import dev.flowstone.jobs.entry.JobStart;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The job as it is asked for on a command line. */
@Command(
    name = HistogramCommand.NAME,
    mixinStandardHelpOptions = true,
    description = "Sends histograms of inter-arrival times and packet sizes to Kafka, as JSON.",
    footer = {
      "",
      "Every flow's times between packets, each second:",
      "  ./flowstone job histogram --rings /dev/shm/flowstone \\",
      "      --bootstrap-servers kafka:9092 --per flow --interval 1s"
    })
public final class HistogramCommand implements CommandLineJob {
  static final String NAME = "histogram";

  @Mixin private HistogramOptions options;

  @Override
  public String name() {
    return options.name;
  }

  @Override
  public void check(JobStart start) throws InterruptedException {
    options.requireSense();
    HistogramJob.source(options).build().requireFreeReaderName();
    options.rings.check(start);
    options.kafka.check(options.topics(), start);
  }

  @Override
  public void build(StreamExecutionEnvironment environment) {
    HistogramJob.build(environment, options);
  }
}
