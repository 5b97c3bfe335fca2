// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code GenerateAbi [--check] PROJECT_ROOT}: writes every file that follows from {@code
 * hw/abi/*.yaml}, or with {@code --check} lists those that differ and exits with 1.
 */
public final class GenerateAbi {
  private static final int DRIFT = 1;
  private static final int WRONG_USE = 2;

  private GenerateAbi() {}

  /** Exits only when there is something to say, so that Maven may run it inside its own process. */
  public static void main(String[] arguments) throws IOException {
    int status = run(Arrays.asList(arguments), System.out, System.err);
    if (status != 0) {
      System.exit(status);
    }
  }

  static int run(List<String> arguments, PrintStream out, PrintStream error) throws IOException {
    List<String> paths = new ArrayList<>(arguments);
    boolean check = paths.remove("--check");
    if (paths.size() != 1 || !Files.isDirectory(Path.of(paths.getFirst(), "hw", "abi"))) {
      error.println("usage: GenerateAbi [--check] PROJECT_ROOT (the directory that has hw/abi)");
      return WRONG_USE;
    }
    Path root = Path.of(paths.getFirst());
    try {
      ProjectFiles files = new ProjectFiles(root, expected(root));
      return check ? check(files, error) : write(files, out);
    } catch (AbiException e) {
      error.println(e.getMessage());
      return DRIFT;
    }
  }

  /** Everything that follows from the YAML, and from the digests that earlier versions left. */
  static List<GeneratedFile> expected(Path root) throws IOException {
    Abi abi = AbiReader.read(root);
    List<GeneratedFile> files = new ArrayList<>(Generator.generate(abi));
    files.add(DigestLedger.read(root).with(abi).file());
    return files;
  }

  private static int write(ProjectFiles files, PrintStream out) throws IOException {
    files.write().forEach(out::println);
    return 0;
  }

  private static int check(ProjectFiles files, PrintStream error) throws IOException {
    List<String> drift = files.drift();
    if (drift.isEmpty()) {
      return 0;
    }
    drift.forEach(path -> error.println("differs from hw/abi/*.yaml: " + path));
    error.println("regenerate with: " + GeneratedFile.COMMAND);
    return DRIFT;
  }
}
