// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Optional;
import java.util.OptionalLong;

/** The constant that says which version of a format some bytes have: {@code layout.constant}. */
record VersionName(String layout, String constant) {
  static Optional<VersionName> parse(String text) {
    int dot = text.indexOf('.');
    return dot < 0
        ? Optional.empty()
        : Optional.of(new VersionName(text.substring(0, dot), text.substring(dot + 1)));
  }

  /** The version that the layouts have now; empty when there is no such constant. */
  OptionalLong current(Abi abi) {
    return abi.layout(layout).stream()
        .flatMap(owner -> owner.constants().stream())
        .filter(candidate -> candidate.name().equals(constant))
        .mapToLong(Constant::value)
        .findFirst();
  }

  @Override
  public String toString() {
    return layout + "." + constant;
  }
}
