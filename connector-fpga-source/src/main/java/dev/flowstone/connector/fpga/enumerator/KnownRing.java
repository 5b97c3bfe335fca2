// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;

/**
 * What the enumerator remembers of a ring, beside its stream number.
 *
 * @param name where it was seen last
 * @param ringCount how many rings its tap fills
 */
public record KnownRing(RingName name, int ringCount) {}
