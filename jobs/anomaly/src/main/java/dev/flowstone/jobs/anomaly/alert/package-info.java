// SPDX-License-Identifier: Apache-2.0
/**
 * What the panes of a subject, one after the other, mean: windows above a threshold, and alerts.
 */
package dev.flowstone.jobs.anomaly.alert;
