// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which part of a stage's packets a counter is of, as its groups of metrics say: a rule's, a
 * ring's, or all of them.
 *
 * @param labels in the order of the groups
 */
public record StageScope(Map<String, String> labels) {
  public static final StageScope WHOLE = new StageScope(Map.of());

  /** The label of groups that are names alone. */
  public static final String NAMES = "";

  StageScope with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(labels);
    more.put(key, value);
    return new StageScope(Collections.unmodifiableMap(more));
  }

  StageScope with(String name) {
    String outer = labels.get(NAMES);
    return with(NAMES, outer == null ? name : outer + "." + name);
  }
}
