// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.function.ToDoubleFunction;

/**
 * Something that there is only so much of.
 *
 * @param remedy what to do where it is not enough, in one line
 */
record Limit(
    String name,
    Unit unit,
    ToDoubleFunction<Sizing> needed,
    ToDoubleFunction<Sizing> there,
    String remedy) {
  boolean fits(Sizing sizing) {
    return needed.applyAsDouble(sizing) <= there.applyAsDouble(sizing);
  }
}
