// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What can be set in the environment; which variables are looked at, the code tells. */
final class EnvironmentPage {
  private static final String NAME = "environment.md";

  /** Who reads a variable, and what it is good for. */
  private record Meaning(String reader, String words) {}

  private static final Map<String, Meaning> MEANINGS = new LinkedHashMap<>();

  static {
    says(
        "JAVA_HOME",
        "the launcher",
        "The JDK that runs everything, if it is a 25; else the launcher looks for one.");
    says(
        "FLOWSTONE_STATE",
        "`job`, `cluster`, `broker`, `questdb`, `submit`, `flink`, `sql`, `page`, `demo`, Python's `find_demo`",
        "Folder of what outlives a run: checkpoints and logs of jobs, the files of the cluster, the broker and QuestDB, the SQL client's history, where the demo is."
            + " Default: `$XDG_STATE_HOME/flowstone`, else `~/.local/state/flowstone`.");
    says(
        "XDG_STATE_HOME",
        "the launcher, Python's `find_demo`",
        "Where the folder of `FLOWSTONE_STATE` is by default.");
    says(
        "HOME",
        "the launcher, Python's `find_demo`",
        "The same, without `XDG_STATE_HOME`; the launcher finds JDKs below it, too.");
    says(
        "FLINK_CONF_DIR",
        "`job`, `cluster`, `submit`, `flink`, `sql`",
        "Folder with a `config.yaml` in place of `flink-conf`'s, or of that of the cluster that runs here; `sql` asks that Flink also where a demo runs.");
    says(
        "FLINK_HOME",
        "`cluster`",
        "A distribution of Flink whose jars the cluster's processes run; default: Flink's jars from Maven.");
    says(
        "FLOWSTONE_EMULATOR",
        "`tap card`, `bench card`, `demo`",
        "Folder of the emulated card's programs in place of `hw/target`, for which nothing is built then.");
    says(
        "XILINX_XRT",
        "`tap card`",
        "Folder of AMD's XRT, as its `setup.sh` sets it; a card in the machine needs it.");
    says(
        "FLOWSTONE_HOST",
        "Flink's TaskManagers, `job`, `submit`",
        "Name of the host in place of its host name: in logs, for `FpgaSourceBuilder.host`, and in the default of `--transaction-prefix`.");
    says(
        "FLOWSTONE_TRACE",
        "every command",
        "If it is set, to whatever, a failure prints its stack trace after its line.");
    says(
        "FLOWSTONE_BUILT",
        "the launcher",
        "If it is set, to whatever, nothing is built, though sources may be newer: for what runs within a build.");
    says(
        "FLOWSTONE_CHILD_JVM_OPTIONS",
        "every command that starts JVMs",
        "Options of these JVMs, separated by spaces, such as `-XX:TieredStopAtLevel=1`. Options that a command sets itself take precedence.");
    says(
        "FLOWSTONE_ORPHANS",
        "`./flowstone test`",
        "Set by the command itself: the file with the processor time of processes that outlive their parents.");
    says("MAVEN_OPTS", "the launcher", "Options of the JVM that Maven builds with, in a checkout.");
    says(
        "FLOWSTONE_OS_RELEASE",
        "the launcher",
        "A file in place of `/etc/os-release`, by which the launcher knows how to install what is missing.");
  }

  private final Project project;

  EnvironmentPage(Project project) {
    this.project = project;
  }

  private static void says(String name, String reader, String words) {
    MEANINGS.put(name, new Meaning(reader, words));
  }

  Page page() {
    requirePython(EnvironmentVariables.inPython(project));
    requireEach(EnvironmentVariables.in(project));
    Table table = new Table("variable", "read by", "meaning");
    MEANINGS.forEach(
        (name, meaning) -> table.row(Words.code(name), meaning.reader(), meaning.words()));
    String intro =
        """
        # Environment

        What Flowstone looks at in the environment. Nothing has to be set. Flink and Kafka have variables of their own.

        """;
    return new Page(NAME, Generated.page(intro + table));
  }

  private static void requireEach(Set<String> used) {
    Set<String> differing = new TreeSet<>(used);
    differing.addAll(MEANINGS.keySet());
    differing.removeIf(name -> used.contains(name) && MEANINGS.containsKey(name));
    if (!differing.isEmpty()) {
      throw new IllegalStateException(
          "variables of the environment that the code reads and EnvironmentPage does not tell of, or the other way round: "
              + differing);
    }
  }

  /** The other way round nobody looks: what is said of one may hold for what it starts, too. */
  private static void requirePython(Set<String> used) {
    Set<String> missing = new TreeSet<>(used);
    missing.removeIf(
        name -> MEANINGS.containsKey(name) && MEANINGS.get(name).reader().contains("Python"));
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "variables of the environment that Python looks at, and EnvironmentPage does not name it among their readers: "
              + missing);
    }
  }
}
