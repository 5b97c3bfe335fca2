// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Java, Python and SystemVerilog get only what some source of theirs uses. C has no such test: its
 * header is for producers outside of this project, too, and they need the ring file whole.
 */
class UsesTest {
  /** Built things, and folders of what is generated or generates. */
  private static final Set<String> SKIPPED = Set.of("target", "build", "abi", ".git");

  private final Path root = ProjectRoot.find();

  @Test
  void shouldGiveJavaNothingThatNoJavaUses() throws IOException {
    List<String> sources = sources(".java");
    List<String> unused = new ArrayList<>();
    for (Layout layout : AbiReader.read(root).in(Language.JAVA).layouts()) {
      String type = Names.javaLayout(layout);
      for (Constant constant : layout.constants()) {
        require(sources, type, Names.constant(constant.name()), unused);
      }
      for (Field field : layout.fields()) {
        require(sources, type, anyConstant(field), unused);
      }
      for (Enumeration enumeration : layout.enums()) {
        String name = Names.camelCase(enumeration.name());
        require(sources, name, enumeration.named() ? "nameOf" : name, unused);
      }
    }

    assertThat(unused).as("unused: delete it, or let its 'languages' be without java").isEmpty();
  }

  @Test
  void shouldGivePythonNothingThatNoPythonUses() throws IOException {
    List<String> sources = sources(".py");
    List<String> unused = new ArrayList<>();
    for (Layout layout : AbiReader.read(root).in(Language.PYTHON).layouts()) {
      require(sources, "layouts", Names.constant(layout.name()), unused);
      for (Enumeration enumeration : layout.enums()) {
        require(sources, "layouts", Names.camelCase(enumeration.name()), unused);
      }
    }

    assertThat(unused).as("unused: delete it, or let its 'languages' be without python").isEmpty();
  }

  /**
   * Of registers whose other side is the host, some bits are the host's alone; so it is enough that
   * a layout's type, or one of its constants, is used.
   */
  @Test
  void shouldGiveSystemVerilogNothingThatNoKernelUses() throws IOException {
    List<String> sources = sources(".sv");
    List<String> unused = new ArrayList<>();
    for (Layout layout : AbiReader.read(root).in(Language.SYSTEMVERILOG).layouts()) {
      String name = layout.name();
      require(sources, "fs_abi::", name + "_t|fs_abi::" + Names.constant(name) + "_\\w+", unused);
    }

    assertThat(unused)
        .as("unused: delete it, or let its 'languages' be without systemverilog")
        .isEmpty();
  }

  /** A field is used when its offset, its length, or some of its bits are. */
  private static String anyConstant(Field field) {
    Stream<String> names =
        Stream.concat(
            JavaLayout.suffixes(field).stream()
                .map(suffix -> Names.constant(field.name()) + suffix),
            field.bits().stream().map(bits -> Names.constant(bits.name()) + "_(SHIFT|MASK)"));
    return "(" + String.join("|", names.toList()) + ")";
  }

  /** Some source names both the owner and, as one word, what it owns. */
  private static void require(
      List<String> sources, String owner, String owned, List<String> unused) {
    Pattern word = Pattern.compile("\\b(" + owned + ")\\b");
    boolean used =
        sources.stream().anyMatch(source -> source.contains(owner) && word.matcher(source).find());
    if (!used) {
      unused.add(owner + "." + owned);
    }
  }

  private List<String> sources(String ending) throws IOException {
    List<String> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().endsWith(ending) && !file.endsWith(NumpyLayouts.PATH)) {
              sources.add(Files.readString(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }
}
