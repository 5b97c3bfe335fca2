// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** All layouts of the project. */
record Abi(List<Page> pages) {
  Abi {
    pages = List.copyOf(pages);
  }

  /** What one language gets. */
  Abi in(Language language) {
    return new Abi(pages.stream().map(page -> page.in(language)).toList());
  }

  /** Every constant that some layout's version is. */
  Set<VersionName> versionNames() {
    return layouts().stream()
        .flatMap(layout -> layout.versions().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  List<Layout> layouts() {
    return pages.stream().flatMap(page -> page.layouts().stream()).toList();
  }

  List<Enumeration> enums() {
    return layouts().stream().flatMap(layout -> layout.enums().stream()).toList();
  }

  Optional<Layout> layout(String name) {
    return layouts().stream().filter(layout -> layout.name().equals(name)).findFirst();
  }

  /** The layouts such that each comes after those it contains. */
  List<Layout> layoutsInnermostFirst() {
    Set<Layout> ordered = new LinkedHashSet<>();
    layouts().forEach(layout -> addInnermostFirst(layout, ordered));
    return new ArrayList<>(ordered);
  }

  private void addInnermostFirst(Layout layout, Set<Layout> ordered) {
    for (Field field : layout.fields()) {
      if (field.type() instanceof FieldType.Struct(String inner)) {
        addInnermostFirst(layout(inner).orElseThrow(), ordered);
      }
    }
    ordered.add(layout);
  }

  long elementBytes(Field field) {
    return switch (field.type()) {
      case FieldType.Scalar(ScalarType type) -> type.bytes();
      case FieldType.Bytes(int lengthBytes) -> lengthBytes;
      case FieldType.Struct(String inner) -> layout(inner).orElseThrow().sizeBytes();
    };
  }

  long sizeBytes(Field field) {
    return field.elements() * elementBytes(field);
  }

  /** What the address of the field must be a multiple of. */
  int alignmentBytes(Field field) {
    return switch (field.type()) {
      case FieldType.Scalar(ScalarType type) -> type.bytes();
      case FieldType.Bytes ignored -> 1;
      case FieldType.Struct(String inner) -> alignmentBytes(layout(inner).orElseThrow());
    };
  }

  int alignmentBytes(Layout layout) {
    return layout.fields().stream().mapToInt(this::alignmentBytes).max().orElse(1);
  }
}
