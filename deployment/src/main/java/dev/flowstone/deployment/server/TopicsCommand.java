// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.commandline.Allowed;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code ./flowstone broker topics}. */
@Command(
    name = "topics",
    mixinStandardHelpOptions = true,
    description =
        "Lists the topics of a broker and the partitions of each; creates and alters topics.",
    subcommands = {TopicsCommand.Create.class, TopicsCommand.Alter.class})
final class TopicsCommand implements Callable<Integer> {
  @ParentCommand private ServerCommand broker;
  @Mixin private BrokerAddress address = new BrokerAddress();

  @Override
  public Integer call() throws Exception {
    try (Topics topics = address.open(broker::local)) {
      topics
          .list()
          .forEach((name, partitions) -> System.out.println(name + "  partitions: " + partitions));
    }
    return 0;
  }

  private static void say(String name, int partitions, String words) {
    System.out.println("topic " + name + words + ", partitions: " + partitions);
  }

  /** {@code ./flowstone broker topics create}. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description =
          "Creates a topic with the broker's number of replicas. Does nothing if the topic exists"
              + " with that number of partitions.")
  static final class Create implements Callable<Integer> {
    @ParentCommand private TopicsCommand parent;
    @Mixin private BrokerAddress address = new BrokerAddress();

    @Parameters(paramLabel = "NAME", description = "Name of the topic.")
    private String name;

    @Option(
        names = "--partitions",
        required = true,
        paramLabel = "N",
        description = "As many as the tap has rings, so that the order within a flow holds.")
    @Allowed(from = "1")
    private int partitions;

    @Override
    public Integer call() throws Exception {
      try (Topics topics = address.open(parent.broker::local)) {
        OptionalInt existing = topics.partitions(name);
        if (existing.isEmpty()) {
          topics.create(name, partitions);
        } else if (existing.getAsInt() != partitions) {
          throw new IOException(
              "topic %s already exists with %d partitions; topics alter can increase them"
                  .formatted(name, existing.getAsInt()));
        }
        say(name, partitions, existing.isEmpty() ? " has been created" : " already exists");
      }
      return 0;
    }
  }

  /** {@code ./flowstone broker topics alter}. */
  @Command(
      name = "alter",
      mixinStandardHelpOptions = true,
      description =
          "Gives a topic more partitions. Messages that are in the topic stay where they are.")
  static final class Alter implements Callable<Integer> {
    @ParentCommand private TopicsCommand parent;
    @Mixin private BrokerAddress address = new BrokerAddress();

    @Parameters(paramLabel = "NAME", description = "Name of the topic.")
    private String name;

    @Option(
        names = "--partitions",
        required = true,
        paramLabel = "N",
        description = "More than the topic has.")
    @Allowed(from = "1")
    private int partitions;

    @Override
    public Integer call() throws Exception {
      try (Topics topics = address.open(parent.broker::local)) {
        topics.increase(name, partitions);
        say(name, partitions, " has been altered");
      }
      return 0;
    }
  }
}
