// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.Serializable;

/**
 * Where a packet is to be found again.
 *
 * @param timeNs UTC nanoseconds
 * @param stream of its ring
 * @param position in it
 */
public record Spot(long timeNs, long stream, long position) implements Serializable {}
