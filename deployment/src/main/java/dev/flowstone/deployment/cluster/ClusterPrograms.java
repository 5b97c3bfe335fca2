// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.deployment.Installation;
import dev.flowstone.processes.JavaProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessSpec;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/** A cluster's processes as Flink's own scripts would start them: main class, memory, flags. */
record ClusterPrograms(ClusterFolder folder, Installation installation) {
  private static final String JOB_MANAGER =
      "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
  private static final String TASK_MANAGER =
      "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

  JavaProgram jobManager() throws IOException {
    Configuration configuration = folder.configuration();
    JobManagerProcessSpec memory = JobManagerProcessUtils.processSpecFromConfig(configuration);
    return program(
        "jobmanager",
        JOB_MANAGER,
        JobManagerProcessUtils.generateJvmParametersStr(memory, configuration),
        words(configuration, CoreOptions.FLINK_JM_JVM_OPTIONS),
        JobManagerProcessUtils.generateDynamicConfigsStr(memory));
  }

  JavaProgram taskManager(int number) throws IOException {
    Configuration configuration = folder.configuration();
    TaskExecutorProcessSpec memory = TaskExecutorProcessUtils.processSpecFromConfig(configuration);
    String name = "taskmanager-" + number;
    return program(
        name,
        TASK_MANAGER,
        ProcessMemoryUtils.generateJvmParametersStr(memory),
        words(configuration, CoreOptions.FLINK_TM_JVM_OPTIONS),
        TaskExecutorProcessUtils.generateDynamicConfigsStr(memory)
            // One that comes back takes the place of the one that died, at once.
            + " -D "
            + TaskManagerOptions.TASK_MANAGER_RESOURCE_ID.key()
            + "="
            + name);
  }

  private JavaProgram program(
      String name, String mainClass, String memory, List<String> special, String dynamic)
      throws IOException {
    Configuration configuration = folder.configuration();
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--configDir", folder.configurationFolder().toString()));
    arguments.addAll(words(dynamic));
    return new JavaProgram(
        name,
        mainClass,
        List.of(),
        installation.flinkClassPath(),
        Stream.of(
                words(memory),
                words(configuration, CoreOptions.FLINK_JVM_OPTIONS),
                special,
                logging(name))
            .flatMap(List::stream)
            .toList(),
        arguments);
  }

  private List<String> logging(String name) {
    Path own = installation.home().resolve("flink-conf/log4j2.xml");
    return List.of(
        "-Dlog.file=" + folder.log().resolve(name + ".log"),
        "-Dlog4j.configurationFile=" + own.toUri(),
        "-Djava.io.tmpdir=" + folder.scratch());
  }

  private static List<String> words(Configuration configuration, ConfigOption<String> option) {
    return words(configuration.get(option));
  }

  private static List<String> words(String text) {
    return Stream.of(text.split("\\s+", -1)).filter(word -> !word.isEmpty()).toList();
  }
}
