// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which variables of the environment the code looks at. */
final class EnvironmentVariables {
  private static final Pattern JAVA = Pattern.compile("System\\.getenv\\(([^)]+)\\)");

  /** Most of a script's own variables have a value wherever they are used. */
  private static final Pattern SHELL = Pattern.compile("\\$\\{([A-Z][A-Z_]+):?-");

  private static final Pattern OWN = Pattern.compile("(?m)^readonly ([A-Z][A-Z_]+)=");

  private static final Pattern PYTHON =
      Pattern.compile("\\b(?:environ(?:\\.get\\(|\\[)|getenv\\()\\s*[\"']([A-Z][A-Z_]+)[\"']");

  private static final Pattern ANY_PYTHON = Pattern.compile("\\b(?:environ|getenv)\\b");

  private EnvironmentVariables() {}

  static Set<String> in(Project project) {
    Set<String> names = new TreeSet<>();
    for (Path source : project.javaSources()) {
      String text = Project.read(source);
      JAVA.matcher(text).results().forEach(use -> names.add(name(use.group(1), text, source)));
    }
    StringBuilder scripts = new StringBuilder(project.read("flowstone"));
    for (Path script : project.below(project.root().resolve("build-support"), ".sh")) {
      scripts.append(Project.read(script));
    }
    names.addAll(inShell(scripts.toString()));
    names.addAll(inPython(project));
    return names;
  }

  /** Those that the package looks at. */
  static Set<String> inPython(Project project) {
    Set<String> names = new TreeSet<>();
    for (Path source : project.below(project.root().resolve("notebooks/flowstone"), ".py")) {
      String text = Project.read(source);
      PYTHON.matcher(text).results().forEach(use -> names.add(use.group(1)));
      if (ANY_PYTHON.matcher(text).results().count() != PYTHON.matcher(text).results().count()) {
        throw new IllegalStateException(source + ": which variables does it look at?");
      }
      if (text.contains("Path.home()")) {
        names.add("HOME");
      }
    }
    return names;
  }

  private static Set<String> inShell(String script) {
    Set<String> names = new TreeSet<>();
    SHELL.matcher(script).results().forEach(use -> names.add(use.group(1)));
    OWN.matcher(script).results().forEach(own -> names.remove(own.group(1)));
    return names;
  }

  private static String name(String argument, String text, Path source) {
    if (argument.startsWith("\"")) {
      return argument.replace("\"", "");
    }
    Matcher constant = Pattern.compile("String " + argument + " =\\s*\"([^\"]+)\"").matcher(text);
    if (!constant.find()) {
      throw new IllegalStateException(source + ": which variable is " + argument + "?");
    }
    return constant.group(1);
  }
}
