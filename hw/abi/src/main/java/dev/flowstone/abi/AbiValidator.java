// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds everything that is wrong with a set of layouts. */
final class AbiValidator {
  private final Abi abi;
  private final List<String> problems = new ArrayList<>();
  private final Set<String> typeNames = new HashSet<>();
  private final Set<String> cNames = new HashSet<>();

  private AbiValidator(Abi abi) {
    this.abi = abi;
  }

  /** One line for each problem: file, layout, field, what is wrong. */
  static List<String> problems(Abi abi) {
    return new AbiValidator(abi).validate();
  }

  private List<String> validate() {
    for (Page page : abi.pages()) {
      for (Layout layout : page.layouts()) {
        String place = page.source() + ": layout " + layout.name();
        unique(typeNames, Names.javaLayout(layout), place + ": name is already taken");
        checkVersions(place, layout);
        checkStructs(place, layout);
        layout.enums().forEach(enumeration -> checkEnum(place, enumeration));
        checkNames(place, layout);
      }
    }
    if (problems.isEmpty()) { // Sizes are known only when every struct is.
      for (Page page : abi.pages()) {
        for (Layout layout : page.layouts()) {
          String place = page.source() + ": layout " + layout.name();
          problems.addAll(LayoutValidator.problems(place, layout, abi));
        }
      }
    }
    return problems;
  }

  private void unique(Set<String> names, String name, String problem) {
    if (!names.add(name)) {
      problems.add(problem + " (" + name + ")");
    }
  }

  private void checkVersions(String place, Layout layout) {
    for (VersionName version : layout.versions()) {
      if (version.current(abi).isEmpty()) {
        problems.add(place + ": versions: there is no constant " + version);
      }
    }
  }

  private void checkStructs(String place, Layout layout) {
    for (Field field : layout.fields()) {
      if (field.type() instanceof FieldType.Struct(String inner)) {
        String fieldPlace = place + ": field " + field.name();
        if (abi.layout(inner).isEmpty()) {
          problems.add(fieldPlace + ": unknown layout '" + inner + "'");
        } else if (contains(inner, layout.name(), new HashSet<>())) {
          problems.add(fieldPlace + ": layout '" + inner + "' contains " + layout.name());
        } else {
          checkInner(fieldPlace, layout, field, abi.layout(inner).orElseThrow());
        }
      }
    }
  }

  /** What is part of a layout goes where that goes, and changes when that does. */
  private void checkInner(String place, Layout outer, Field field, Layout inner) {
    if (!inner.languages().containsAll(field.languages())) {
      problems.add(place + ": languages: layout '" + inner.name() + "' has not all of them");
    }
    if (!inner.versions().containsAll(outer.versions())) {
      problems.add(
          place + ": layout '" + inner.name() + "' must belong to versions " + outer.versions());
    }
  }

  private boolean contains(String outer, String sought, Set<String> visited) {
    if (outer.equals(sought)) {
      return true;
    }
    if (!visited.add(outer)) {
      return false;
    }
    return abi.layout(outer).stream()
        .flatMap(layout -> layout.fields().stream())
        .anyMatch(
            field ->
                field.type() instanceof FieldType.Struct(String inner)
                    && contains(inner, sought, visited));
  }

  private void checkEnum(String layoutPlace, Enumeration enumeration) {
    String place = layoutPlace + ": enum " + enumeration.name();
    unique(typeNames, Names.camelCase(enumeration.name()), place + ": name is already taken");
    Set<Integer> values = new HashSet<>();
    for (Enumeration.Value value : enumeration.values()) {
      String valuePlace = place + ": value " + value.name();
      unique(cNames, Names.c(enumeration.name(), value.name()), valuePlace + ": duplicate name");
      if (!values.add(value.value())) {
        problems.add(valuePlace + ": number " + value.value() + " is already taken");
      }
      if (enumeration.flags() && Integer.bitCount(value.value()) != 1) {
        problems.add(valuePlace + ": a flag is one bit, found " + value.value());
      }
    }
    if (enumeration.values().isEmpty()) {
      problems.add(place + ": no values");
    }
  }

  /** Fields, constants and bits become constants of one Java class and macros of one C header. */
  private void checkNames(String place, Layout layout) {
    Set<String> javaNames = new HashSet<>(Set.of("SIZE_BYTES"));
    for (Constant constant : layout.constants()) {
      String constantPlace = place + ": constant " + constant.name();
      unique(javaNames, Names.constant(constant.name()), constantPlace + ": duplicate name");
      unique(cNames, Names.c(layout.name(), constant.name()), constantPlace + ": duplicate name");
      if (!constant.type().holds(constant.value())) {
        problems.add(
            constantPlace
                + ": "
                + constant.literal()
                + " does not fit "
                + constant.type().yamlName());
      }
    }
    for (Field field : layout.fields()) {
      String fieldPlace = place + ": field " + field.name();
      for (String suffix : JavaLayout.suffixes(field)) {
        unique(javaNames, Names.constant(field.name()) + suffix, fieldPlace + ": duplicate name");
      }
      for (BitRange bits : field.bits()) {
        String bitsPlace = fieldPlace + ": bits " + bits.name();
        unique(javaNames, Names.constant(bits.name()) + "_SHIFT", bitsPlace + ": duplicate name");
        unique(javaNames, Names.constant(bits.name()) + "_MASK", bitsPlace + ": duplicate name");
        unique(
            cNames, Names.c(layout.name(), bits.name()) + "_SHIFT", bitsPlace + ": duplicate name");
        unique(
            cNames, Names.c(layout.name(), bits.name()) + "_MASK", bitsPlace + ": duplicate name");
      }
    }
  }
}
