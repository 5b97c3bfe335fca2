// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options of every job; what several have is said once. */
final class JobsPage {
  private static final String NAME = "jobs.md";
  private static final String JOBS = "dev.flowstone.jobs.";

  private final Project project;
  private final Map<String, CommandSpec> jobs = new LinkedHashMap<>();
  private final Map<Class<?>, List<OptionSpec>> shared = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();

  JobsPage(Project project, CommandSpec commandOfJobs) {
    this.project = project;
    Map<Class<?>, Integer> users = new LinkedHashMap<>();
    for (CommandLine job : commandOfJobs.subcommands().values()) {
      CommandSpec command = job.getCommandSpec();
      jobs.put(command.name(), command);
      optionsOf(command)
          .forEach(
              (type, options) -> {
                users.merge(type, 1, Integer::sum);
                shared.putIfAbsent(type, options);
              });
    }
    shared.keySet().removeIf(type -> users.get(type) == 1);
  }

  private static Map<Class<?>, List<OptionSpec>> optionsOf(CommandSpec job) {
    Map<Class<?>, List<OptionSpec>> options = new LinkedHashMap<>(Options.byClass(job));
    options.keySet().removeIf(type -> !type.getName().startsWith(JOBS));
    return options;
  }

  Page page() {
    text.append(
        """
        # Jobs

        What the jobs of `./flowstone job NAME` and `./flowstone submit NAME` can be told. How Flink runs them is told by [options of these
        commands](commands.md#job). Durations are written `500 ms`, `2 s` or `15 min`.

        """);
    contents();
    jobs.forEach(this::job);
    shared.forEach(this::group);
    return new Page(NAME, Generated.page(text));
  }

  private void contents() {
    Table table = new Table("job", "what it does");
    jobs.forEach((name, job) -> table.row(Words.link(name), description(job)));
    text.append(table);
    text.append("Options that several jobs have:\n\n");
    Table groups = new Table("options", "", "of the jobs");
    shared.forEach((type, _) -> groups.row(Words.link(heading(type)), intro(type), jobsWith(type)));
    text.append(groups);
  }

  private static String description(CommandSpec job) {
    CommandSpec own = job.mixins().get("job");
    return String.join(" ", own.usageMessage().description());
  }

  private static String heading(Class<?> type) {
    return Words.capitalised(Words.ofClass(type));
  }

  private String intro(Class<?> type) {
    return SourceComments.of(project.sourceOf(type)).firstSentence(type.getSimpleName());
  }

  private String jobsWith(Class<?> type) {
    List<String> with =
        jobs.entrySet().stream()
            .filter(job -> optionsOf(job.getValue()).containsKey(type))
            .map(Map.Entry::getKey)
            .toList();
    return with.size() == jobs.size() ? "all" : String.join(", ", with);
  }

  private void job(String name, CommandSpec job) {
    text.append("## ").append(name).append("\n\n").append(description(job)).append("\n\n");
    List<OptionSpec> own = new ArrayList<>();
    optionsOf(job)
        .forEach((type, options) -> own.addAll(shared.containsKey(type) ? List.of() : options));
    text.append(Options.table(own));
    List<String> links =
        optionsOf(job).keySet().stream()
            .filter(shared::containsKey)
            .map(type -> Words.link(heading(type)))
            .toList();
    text.append("Besides: ").append(String.join(", ", links)).append(".\n\n");
    text.append(Options.footer(job.mixins().get("job")));
  }

  private void group(Class<?> type, List<OptionSpec> options) {
    text.append("## ").append(heading(type)).append("\n\n");
    text.append(intro(type)).append(" Of ");
    text.append(jobsWith(type).equals("all") ? "all jobs" : jobsWith(type)).append(".\n\n");
    text.append(Options.table(options));
  }
}
