// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import java.io.Serializable;

/**
 * What one subtask has seen of a subject within a pane, or a part of it.
 *
 * @param number of the pane: time over the slide
 */
public record PanePart(Subject subject, Terms terms, long number, Pane pane)
    implements Serializable {}
