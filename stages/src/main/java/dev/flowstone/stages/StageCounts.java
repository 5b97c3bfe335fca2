// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.SortedMap;

/**
 * What one scope of a subtask of a stage has counted.
 *
 * @param job its name
 * @param stage name of the operator
 * @param sinceMs when this attempt began, by the host's clock: it counts from zero
 * @param values by the names that Flink has them under
 */
public record StageCounts(
    String job,
    String stage,
    int subtask,
    long sinceMs,
    StageScope scope,
    SortedMap<String, Number> values) {}
