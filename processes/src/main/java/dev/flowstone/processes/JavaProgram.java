// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A main class and what its JVM is started with. A value: each {@code with} gives another one.
 *
 * @param name what messages and files call the process, such as {@code tap}
 * @param launcher the command that becomes the JVM, such as {@code env} with its options; none when
 *     empty
 * @param classPath as {@code java -cp} takes it
 */
public record JavaProgram(
    String name,
    String mainClass,
    List<String> launcher,
    String classPath,
    List<String> jvmOptions,
    List<String> arguments)
    implements Program {
  /** Set for children and grandchildren alike: an environment is inherited. */
  private static final List<String> OPTIONS_OF_ALL =
      words(System.getenv("FLOWSTONE_CHILD_JVM_OPTIONS"));

  public JavaProgram {
    launcher = List.copyOf(launcher);
    jvmOptions = List.copyOf(jvmOptions);
    arguments = List.copyOf(arguments);
  }

  /** With the class path of this process. */
  public static JavaProgram of(String name, String mainClass, List<String> arguments) {
    return new JavaProgram(
        name, mainClass, List.of(), System.getProperty("java.class.path"), List.of(), arguments);
  }

  public JavaProgram withLauncher(String... command) {
    return new JavaProgram(name, mainClass, List.of(command), classPath, jvmOptions, arguments);
  }

  public JavaProgram withClassPath(String otherClassPath) {
    return new JavaProgram(name, mainClass, launcher, otherClassPath, jvmOptions, arguments);
  }

  /** With folders or jars whose classes stand in for the others'. */
  public JavaProgram withFirst(List<Path> first) {
    return withClassPath(
        String.join(
            File.pathSeparator,
            Stream.concat(first.stream().map(Path::toString), Stream.of(classPath)).toList()));
  }

  public JavaProgram withJvmOptions(String... options) {
    return new JavaProgram(
        name,
        mainClass,
        launcher,
        classPath,
        Stream.concat(jvmOptions.stream(), Stream.of(options)).toList(),
        arguments);
  }

  @Override
  public List<String> command(Path crashReport) {
    List<String> command = new ArrayList<>();
    // A session of its own: Ctrl-C in a terminal is for the parent, which stops its children in
    // order.
    command.add("setsid");
    command.addAll(launcher);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Without it a JVM that crashes leaves its report wherever the user happens to be.
    command.add("-XX:ErrorFile=" + crashReport);
    command.addAll(OPTIONS_OF_ALL);
    command.addAll(jvmOptions);
    // Last, because other options may switch on what an unused archive would print.
    command.addAll(ClassArchive.options(classPath));
    command.addAll(List.of("-cp", classPath + File.pathSeparator + ownClasses()));
    command.add(EndsWithParent.class.getName());
    command.add(Long.toString(ProcessHandle.current().pid()));
    command.add(mainClass);
    command.addAll(arguments);
    return command;
  }

  private static List<String> words(String text) {
    return text == null || text.isBlank() ? List.of() : List.of(text.strip().split("\\s+", -1));
  }

  private static Path ownClasses() {
    try {
      return Path.of(JavaProgram.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException location) {
      throw new IllegalStateException(
          "the classes of this program are not in a folder or jar on this machine", location);
    }
  }
}
