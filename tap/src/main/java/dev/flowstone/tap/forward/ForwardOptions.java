// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingDirectory;

/**
 * What a sender reads, and how.
 *
 * @param reader by which it finds its place in the rings again
 * @param observing whether the tap does not wait for it
 * @param bounded whether it ends with the rings; else it goes on with those of the next tap
 */
public record ForwardOptions(
    RingDirectory rings, ReaderName reader, boolean observing, boolean bounded) {}
