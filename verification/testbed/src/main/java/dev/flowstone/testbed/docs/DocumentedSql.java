// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.docs;

import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds the SQL statements in the documentation and the tables that every session has. */
public final class DocumentedSql {
  /** Catalog database of the tables that QuestDB serves. */
  public static final String QUESTDB = "questdb.";

  private static final Path ROOT = ProjectRoot.find();
  private static final List<String> PAGES = List.of("docs/queries.md", "docs/sql.md");

  /** The word after the language states how the page runs the statement. */
  private static final Pattern STATEMENT =
      Pattern.compile("```sql ?(live|so-far|)\n(.*?)```", Pattern.DOTALL);

  private static final List<String> PAGES_OF_COMMANDS =
      List.of("docs/sql.md", "docs/reference/commands.md");
  private static final Pattern COMMAND =
      Pattern.compile("^ +\\./flowstone sql (--so-far )?-e \"([^\"]*)\"$", Pattern.MULTILINE);

  /** Users select from views of QuestDB's tables, and from all other tables. */
  private static final Pattern TABLE =
      Pattern.compile("^CREATE (?:TABLE(?! questdb)|VIEW) (\\S+)", Pattern.MULTILINE);

  private DocumentedSql() {}

  /** Returns the statements that end only at Ctrl-C. */
  public static List<String> live() throws IOException {
    return onAllPages("live");
  }

  /** Returns the same kind of statements, passed to {@code ./flowstone sql -e}. */
  public static List<String> liveCommands() throws IOException {
    return ofCommands(false);
  }

  /** Returns the statements that give one answer, for {@code --so-far}. */
  public static List<String> soFar() throws IOException {
    List<String> statements = onAllPages("so-far");
    statements.addAll(ofCommands(true));
    return statements;
  }

  private static List<String> onAllPages(String kind) throws IOException {
    List<String> statements = new ArrayList<>();
    for (String page : PAGES) {
      statements.addAll(on(page, kind));
    }
    return statements;
  }

  /** Returns the statements of a page that names no way to run them. */
  public static List<String> on(String page) throws IOException {
    return on(page, "");
  }

  private static List<String> on(String page, String kind) throws IOException {
    return find(page, STATEMENT, found -> found.group(1).equals(kind) ? found.group(2) : "");
  }

  /** Returns the statements that pages pass to {@code ./flowstone sql -e}. */
  private static List<String> ofCommands(boolean isSoFar) throws IOException {
    List<String> statements = new ArrayList<>();
    for (String page : PAGES_OF_COMMANDS) {
      statements.addAll(
          find(
              page,
              COMMAND,
              found -> (found.group(1) != null) == isSoFar ? found.group(2) + ";" : ""));
    }
    return statements;
  }

  /** Returns the names of the tables and views in {@code flink-conf/sql}. */
  public static List<String> tables() throws IOException {
    List<String> tables = new ArrayList<>();
    try (DirectoryStream<Path> scripts =
        Files.newDirectoryStream(ROOT.resolve("flink-conf/sql"), "*.sql")) {
      for (Path script : scripts) {
        tables.addAll(find(script.toString(), TABLE, found -> found.group(1)));
      }
    }
    return tables;
  }

  private static List<String> find(
      String page, Pattern pattern, Function<MatchResult, String> toStatement) throws IOException {
    return pattern
        .matcher(Files.readString(ROOT.resolve(page)))
        .results()
        .map(toStatement)
        .filter(statement -> !statement.isEmpty())
        .toList();
  }
}
