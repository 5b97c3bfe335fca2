// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.model.FlowTuple;

/**
 * A flow of which packets are not in the order of their times, or some without time: what a second
 * pass needs to find it and to make room for it.
 *
 * @param tuple canonical
 * @param hash the flow hash of its records
 * @param timedPackets packets whose time is known
 */
public record UnsortedFlow(FlowTuple tuple, int hash, Direction direction, long timedPackets) {}
