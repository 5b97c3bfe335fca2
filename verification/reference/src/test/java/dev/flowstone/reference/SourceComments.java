// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * What a source file says of its classes, methods and constants, as text for a page; of several
 * methods of one name the first that says something.
 */
final class SourceComments {
  private final Map<String, String> firstSentences = new LinkedHashMap<>();
  private final Map<String, String> all = new LinkedHashMap<>();

  private SourceComments() {}

  static SourceComments of(Path source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    SourceComments comments = new SourceComments();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(null, files, null, null, null, files.getJavaFileObjects(source));
      DocTrees trees = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        comments.new Scanner(trees).scan(unit, null);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return comments;
  }

  /**
   * The first sentence of what stands before the class, method or constant; empty: nothing does.
   */
  String firstSentence(String name) {
    return firstSentences.getOrDefault(name, "");
  }

  String all(String name) {
    return all.getOrDefault(name, "");
  }

  private final class Scanner extends TreePathScanner<Void, Void> {
    private final DocTrees trees;

    Scanner(DocTrees trees) {
      this.trees = trees;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      note(type.getSimpleName().toString());
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      note(method.getName().toString());
      return null;
    }

    @Override
    public Void visitVariable(VariableTree variable, Void none) {
      note(variable.getName().toString());
      return null;
    }

    private void note(String name) {
      DocCommentTree comment = trees.getDocCommentTree(getCurrentPath());
      if (comment != null) {
        firstSentences.putIfAbsent(name, text(comment.getFirstSentence()));
        all.putIfAbsent(name, text(comment.getFullBody()));
      }
    }
  }

  private static String text(List<? extends DocTree> parts) {
    return parts.stream()
        .map(SourceComments::text)
        .collect(Collectors.joining())
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static String text(DocTree part) {
    return switch (part) {
      case LiteralTree literal -> Words.code(literal.getBody().getBody());
      case LinkTree link ->
          Words.code(link.getReference().getSignature().replaceAll("^#", "").replace('#', '.'));
      default -> part.toString();
    };
  }
}
