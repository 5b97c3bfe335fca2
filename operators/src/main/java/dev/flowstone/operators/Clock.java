// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import java.io.Serializable;

/** Nanoseconds since whenever, by which it is decided what is saved when. */
@FunctionalInterface
interface Clock extends Serializable {
  long nowNs();
}
