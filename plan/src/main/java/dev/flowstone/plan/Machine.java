// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

/**
 * What one machine has, be it a server or a broker.
 *
 * @param diskBytesPerSecond that one disk takes for hours
 */
record Machine(
    int cores,
    double memoryBytes,
    double uplinkBitsPerSecond,
    double diskBytesPerSecond,
    double diskBytes) {}
