// SPDX-License-Identifier: Apache-2.0
/**
 * Summaries of many packets in little memory. Parts may be put together in any order: the whole
 * says the same.
 */
package dev.flowstone.jobs.anomaly.sketch;
