// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.rules.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What stands between braces, or the whole file.
 *
 * @param name what stands before the brace; empty: nothing
 */
record Group(Place place, String name, List<Setting> settings, List<Group> groups) {
  Group(Place place, String name) {
    this(place, name, new ArrayList<>(), new ArrayList<>());
  }

  /** Its own and those of the groups in it. */
  Stream<Setting> all() {
    return Stream.concat(settings.stream(), groups.stream().flatMap(Group::all));
  }
}
