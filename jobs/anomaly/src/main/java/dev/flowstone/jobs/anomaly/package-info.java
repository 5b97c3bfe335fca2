// SPDX-License-Identifier: Apache-2.0
/** The job that tells of floods and scans, and its part that other jobs take. */
package dev.flowstone.jobs.anomaly;
