// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code ./flowstone} does with its first word: which main classes it starts for it, or that
 * it does the work itself.
 */
final class Launcher {
  private static final Pattern CASE = Pattern.compile("(?s)\\ncase \\$command in\\n(.*?)\\nesac");
  private static final Pattern BRANCH = Pattern.compile("(?m)^  ([a-z][^)]*)\\) (.*) ;;$");
  private static final Pattern RUN = Pattern.compile("\\brun \\S+ (dev\\.flowstone\\.[\\w.]+)");
  private static final Pattern FUNCTION = Pattern.compile("\\brun_\\w+");

  private final Map<String, List<Class<?>>> commands = new LinkedHashMap<>();

  Launcher(Project project) {
    String script = project.read("flowstone");
    String all = script + project.read("build-support/deployment.sh");
    Matcher branches = CASE.matcher(script);
    if (!branches.find()) {
      throw new IllegalStateException("flowstone has no case of its commands");
    }
    BRANCH
        .matcher(branches.group(1))
        .results()
        .forEach(branch -> commands.put(words(branch), classes(branch.group(2), all)));
  }

  private static String words(MatchResult branch) {
    return branch.group(1).split("[ |]", 2)[0];
  }

  private static List<Class<?>> classes(String action, String scripts) {
    String body = action;
    Matcher function = FUNCTION.matcher(action);
    if (function.find()) {
      Matcher defined =
          Pattern.compile("(?sm)^" + function.group() + "\\(\\) \\{\\n(.*?)^}").matcher(scripts);
      body = defined.find() ? defined.group(1) : "";
    }
    List<Class<?>> classes = new ArrayList<>();
    RUN.matcher(body).results().forEach(run -> classes.add(named(run.group(1))));
    // Special cases come first in a script, and last on a page.
    return classes.reversed();
  }

  private static Class<?> named(String className) {
    try {
      return Class.forName(className, false, Launcher.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("flowstone starts a class that is not there", e);
    }
  }

  /** Its first words in the launcher's order, and the classes that it starts; none: itself. */
  Map<String, List<Class<?>>> commands() {
    return commands;
  }
}
