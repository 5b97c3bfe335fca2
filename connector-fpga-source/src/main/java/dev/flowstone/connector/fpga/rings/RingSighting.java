// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import java.io.Serializable;

/**
 * A ring that a reader sees on its host.
 *
 * @param name which
 * @param ringCount how many rings its tap fills
 * @param incarnation of the producer that fills it now
 * @param maxParallelism key groups that the tap spreads over its rings
 */
public record RingSighting(RingName name, int ringCount, long incarnation, int maxParallelism)
    implements Serializable {}
