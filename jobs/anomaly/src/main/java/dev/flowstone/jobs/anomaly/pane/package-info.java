// SPDX-License-Identifier: Apache-2.0
/**
 * Packets that a detector asks for, summed up by subject and pane: a pane is as long as windows are
 * apart.
 */
package dev.flowstone.jobs.anomaly.pane;
