// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The page itself. A path is looked up among those that there are, and leads nowhere else. */
final class PageFiles {
  private static final String FIRST = "index.html";
  private static final List<String> NAMES =
      List.of(
          FIRST,
          "page.css",
          "icon.svg",
          "main.js",
          "words.js",
          "graph.js",
          "pipeline.js",
          "layout.js",
          "gaps.js",
          "tables.js",
          "ends.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  /** What a browser gets. */
  static final class File {
    private final String type;
    private final byte[] bytes;

    private File(String type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    String type() {
      return type;
    }

    byte[] bytes() {
      return bytes.clone();
    }
  }

  private final Map<String, File> byPath = new LinkedHashMap<>();

  PageFiles() {
    for (String name : NAMES) {
      byPath.put("/" + name, read(name));
    }
    byPath.put("/", byPath.get("/" + FIRST));
  }

  private static File read(String name) {
    try (InputStream file = PageFiles.class.getResourceAsStream(name)) {
      return new File(TYPES.get(name.substring(name.indexOf('.') + 1)), file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(name + " of the page cannot be read", e);
    }
  }

  Optional<File> at(String path) {
    return Optional.ofNullable(byPath.get(path));
  }
}
