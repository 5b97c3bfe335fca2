// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import org.apache.flink.metrics.MetricType;

/**
 * A metric, and who registered it.
 *
 * @param by simple name of the class of Flowstone that did
 * @param groups all that it stands in, as Flink's reporter for Prometheus has them
 * @param operator whose it is, as the job names it
 * @param isTold whether results of the kind "stage" have it, too
 */
record Registration(
    String by, String name, MetricType kind, String groups, String operator, boolean isTold) {}
