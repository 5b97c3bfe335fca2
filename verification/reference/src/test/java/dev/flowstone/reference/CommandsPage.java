// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every command of the launcher, with its options. */
final class CommandsPage {
  private static final String NAME = "commands.md";
  private static final String JOBS = "dev.flowstone.jobs.";

  /** What the launcher does itself, which no class can say: a section for each command. */
  private static final String OF_THE_LAUNCHER = "/launcher.md";

  private final Project project;
  private final Map<String, String> ofTheLauncher = ofTheLauncher();
  private final StringBuilder text = new StringBuilder();

  CommandsPage(Project project) {
    this.project = project;
  }

  Page page() {
    Launcher launcher = new Launcher(project);
    Map<String, List<CommandSpec>> commands = new LinkedHashMap<>();
    launcher
        .commands()
        .forEach(
            (word, classes) -> commands.put(word, classes.stream().map(CommandLines::of).toList()));
    text.append(
        """
        # Commands

        What `./flowstone` does, by its first word, and every option of it. Each command takes `--help` and `--version`, too, where `-h` and `-V` say
        the same. A failure is one line that begins with `flowstone:`, and an exit status: 1 for a failure, 2 for wrong use. Sizes are written `512m` or `4g`,
        rates `812k` or `1.4M`, durations `500 ms`, `2 s` or `15 min`. Options of jobs are on [a page of their own](jobs.md), what can be set in the
        environment [here](environment.md).

        """);
    contents(commands);
    commands.forEach(this::command);
    return new Page(NAME, Generated.page(text));
  }

  private void contents(Map<String, List<CommandSpec>> commands) {
    Table table = new Table("command", "what it does");
    commands.forEach(
        (word, specs) -> {
          if (specs.isEmpty()) {
            table.row(Words.link(word), summary(word));
          }
          specs.forEach(spec -> table.row(Words.link(heading(word, spec)), description(spec)));
        });
    text.append(table);
  }

  /** The first sentence below the usage, or what comes before its list. */
  private String summary(String word) {
    Matcher first = Pattern.compile("(?s)\n\n(.*?)[.:;]\\s").matcher(ofTheLauncher(word));
    return first.find() ? first.group(1).replace('\n', ' ') + "." : "";
  }

  /**
   * The same word may start several classes; what tells them apart is said by their own options.
   */
  private static String heading(String word, CommandSpec command) {
    return command.findOption("--flink") != null && word.equals("stats") ? "stats --flink" : word;
  }

  private static Map<String, String> ofTheLauncher() {
    Map<String, String> sections = new HashMap<>();
    try (InputStream file = CommandsPage.class.getResourceAsStream(OF_THE_LAUNCHER)) {
      Pattern.compile("(?sm)^## (\\w+)\\n\\n(.*?)(?=^## |\\z)")
          .matcher(new String(file.readAllBytes(), UTF_8))
          .results()
          .forEach(
              section -> sections.put(section.group(1), section.group(2).stripTrailing() + "\n\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sections;
  }

  private String ofTheLauncher(String word) {
    String known = ofTheLauncher.get(word);
    if (known == null) {
      throw new IllegalStateException(
          "the launcher has a command that no page has: "
              + word
              + "; it starts no class, so launcher.md has to say what it does");
    }
    return known;
  }

  private void command(String word, List<CommandSpec> commands) {
    if (commands.isEmpty()) {
      text.append("## ").append(word).append("\n\n").append(ofTheLauncher(word));
    }
    for (CommandSpec command : commands) {
      text.append("## ").append(heading(word, command)).append("\n\n");
      command(command);
    }
  }

  private void command(CommandSpec command) {
    text.append("    ").append(Options.usage(command)).append("\n\n");
    text.append(description(command)).append("\n\n");
    Map<String, CommandLine> subcommands = command.subcommands();
    if (subcommands.isEmpty()) {
      text.append(Options.parameters(command));
      text.append(Options.table(all(command))).append(Options.footer(command));
    } else if (isOfJobs(subcommands.values())) {
      ofJobs(command);
    } else {
      ofSubcommands(command);
    }
  }

  private static List<OptionSpec> all(CommandSpec command) {
    return Options.byClass(command).values().stream().flatMap(List::stream).toList();
  }

  private static boolean isOfJobs(Collection<CommandLine> subcommands) {
    return subcommands.stream().anyMatch(each -> each.getCommandSpec().mixins().containsKey("job"));
  }

  /** Its own options are the same for all jobs. */
  private void ofJobs(CommandSpec command) {
    text.append("`JOB` is");
    String separator = " ";
    for (String job : command.subcommands().keySet()) {
      text.append(separator).append(Words.link(job, "jobs.md"));
      separator = ", ";
    }
    text.append("; these options come beside those of the job:\n\n");
    List<OptionSpec> own = new ArrayList<>();
    Options.byClass(first(command)).forEach((type, options) -> addUnlessOfJob(own, type, options));
    text.append(Options.table(own));
  }

  private static void addUnlessOfJob(
      List<OptionSpec> own, Class<?> type, List<OptionSpec> options) {
    if (!type.getName().startsWith(JOBS)) {
      own.addAll(options);
    }
  }

  private static CommandSpec first(CommandSpec command) {
    return command.subcommands().values().iterator().next().getCommandSpec();
  }

  /** What several of them have is said once, below the last. */
  private void ofSubcommands(CommandSpec command) {
    Map<Class<?>, Integer> users = new LinkedHashMap<>();
    Map<Class<?>, List<OptionSpec>> shared = new LinkedHashMap<>();
    each(command)
        .forEach(
            sub ->
                Options.byClass(sub)
                    .forEach(
                        (type, options) -> {
                          users.merge(type, 1, Integer::sum);
                          shared.putIfAbsent(type, options);
                        }));
    shared.keySet().removeIf(type -> users.get(type) == 1);
    Set<Class<?>> said = new HashSet<>(shared.keySet());
    for (CommandSpec sub : each(command)) {
      subcommand(command, sub, said);
    }
    shared.forEach((type, options) -> sharedOptions(command, type, options));
  }

  /** Subcommands, each followed by its own. */
  private static List<CommandSpec> each(CommandSpec command) {
    return command.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .flatMap(sub -> Stream.concat(Stream.of(sub), each(sub).stream()))
        .toList();
  }

  private void subcommand(CommandSpec root, CommandSpec command, Set<Class<?>> saidElsewhere) {
    text.append("### ").append(name(command)).append("\n\n");
    text.append("    ").append(Options.usage(command)).append("\n\n");
    text.append(description(command)).append("\n\n").append(Options.parameters(command));
    List<String> links = new ArrayList<>();
    List<OptionSpec> own = new ArrayList<>();
    Options.byClass(command)
        .forEach(
            (type, options) -> {
              if (saidElsewhere.contains(type)) {
                links.add(Words.link(sharedHeading(root, type)));
              } else {
                own.addAll(options);
              }
            });
    text.append(Options.table(own));
    if (!links.isEmpty()) {
      text.append("Besides: ").append(String.join(", ", links)).append(".\n\n");
    }
    text.append(Options.footer(command));
  }

  private void sharedOptions(CommandSpec parent, Class<?> type, List<OptionSpec> options) {
    List<String> users =
        each(parent).stream()
            .filter(sub -> Options.byClass(sub).containsKey(type))
            .map(sub -> Words.link(name(sub)))
            .toList();
    text.append("### ").append(sharedHeading(parent, type)).append("\n\n");
    text.append(SourceComments.of(project.sourceOf(type)).firstSentence(type.getSimpleName()));
    text.append(" Of ").append(String.join(", ", users)).append(".\n\n");
    text.append(Options.table(options));
  }

  private static String sharedHeading(CommandSpec parent, Class<?> type) {
    return Words.capitalised(parent.name().replace("./flowstone ", ""))
        + ": "
        + Words.ofClass(type);
  }

  private static String name(CommandSpec command) {
    return command.qualifiedName().replace("./flowstone ", "");
  }

  private static String description(CommandSpec command) {
    return String.join(" ", command.usageMessage().description());
  }
}
