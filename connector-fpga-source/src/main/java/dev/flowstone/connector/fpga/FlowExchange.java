// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.exchange.FlowSplitter;
import dev.flowstone.connector.fpga.exchange.OwnFlows;
import dev.flowstone.connector.fpga.exchange.RingsHere;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.SchedulerExecutionMode;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How packets get to the subtask that has the key group of their flow, before an operator that
 * keeps state by flow; chosen when the job graph is built. Rings are filled by key groups, so that
 * they are there already when the parallelism divides the number of rings.
 */
public enum FlowExchange {
  /**
   * {@link #NEVER} where the rings on this machine allow it as they are now, else ALWAYS; ALWAYS
   * with Flink's adaptive scheduler, which may change the parallelism.
   */
  AUTO,
  /**
   * Blocks stay where they are read, chained and without a copy. A subtask that gets a ring which
   * holds other subtasks' flows fails the job: when the parallelism does not divide the rings, on
   * several hosts, or with another maximum parallelism.
   */
  NEVER,
  /** Blocks are split by key group and sent there, as bytes. */
  ALWAYS;

  private static final Logger LOG = LoggerFactory.getLogger(FlowExchange.class);

  /**
   * Adds a source to a job and what is needed behind it. Operators that keep state by flow come
   * next, with the environment's parallelism.
   *
   * @param name of the source, and the beginning of its uid
   */
  public DataStream<PacketBlock> blocksByFlow(
      StreamExecutionEnvironment environment, FpgaSourceBuilder source, String name) {
    RingBlocks blocks = read(environment, source, name);
    return blocks.areByFlow() ? blocks.packets() : exchange(blocks.packets(), name);
  }

  /**
   * The same without the exchange, for a job that has work for packets where they are read, or
   * knows better which of them must go elsewhere.
   *
   * @param name of the source, and its uid
   */
  public RingBlocks read(
      StreamExecutionEnvironment environment, FpgaSourceBuilder source, String name) {
    boolean stays = resolve(environment, source) == NEVER;
    return new RingBlocks(
        environment
            .fromSource(
                source.requireOwnKeyGroups(stays).build(), WatermarkStrategy.noWatermarks(), name)
            .uid(name),
        stays);
  }

  private FlowExchange resolve(StreamExecutionEnvironment environment, FpgaSourceBuilder source) {
    if (this != AUTO) {
      return this;
    }
    RingsHere rings = RingsHere.in(source.ringDirectories());
    int parallelism = environment.getParallelism();
    int maxParallelism = maxParallelism(environment);
    boolean isFixed = !isAdaptive(environment);
    FlowExchange chosen = isFixed && rings.fit(parallelism, maxParallelism) ? NEVER : ALWAYS;
    LOG.info(
        "Flow exchange {}: {}, {} parallelism {} of at most {}",
        chosen,
        rings,
        isFixed ? "fixed" : "adaptive",
        parallelism,
        maxParallelism);
    return chosen;
  }

  /** As the job's submitter is configured; a cluster of another configuration is not seen. */
  private static boolean isAdaptive(StreamExecutionEnvironment environment) {
    ReadableConfig configuration = environment.getConfiguration();
    return configuration.get(JobManagerOptions.SCHEDULER)
            == JobManagerOptions.SchedulerType.Adaptive
        || configuration.get(JobManagerOptions.SCHEDULER_MODE) == SchedulerExecutionMode.REACTIVE;
  }

  /** As Flink sets it where nobody does. */
  private static int maxParallelism(StreamExecutionEnvironment environment) {
    int asked = environment.getMaxParallelism();
    return asked > 0
        ? asked
        : KeyGroupRangeAssignment.computeDefaultMaxParallelism(environment.getParallelism());
  }

  private static DataStream<PacketBlock> exchange(DataStream<PacketBlock> blocks, String name) {
    return blocks
        .flatMap(new FlowSplitter())
        .returns(Types.TUPLE(Types.INT, PacketBlockTypeInformation.INSTANCE))
        .name(name + ": split by key group")
        .uid(name + "-split")
        .partitionCustom((subtask, _) -> subtask, part -> part.f0)
        .map(new OwnFlows())
        .returns(PacketBlockTypeInformation.INSTANCE)
        .name(name + ": by flow")
        .uid(name + "-by-flow");
  }
}
