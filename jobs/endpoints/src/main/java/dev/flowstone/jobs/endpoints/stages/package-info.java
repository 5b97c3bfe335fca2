// SPDX-License-Identifier: Apache-2.0
/** What the stages of a job count, on its way out. */
package dev.flowstone.jobs.endpoints.stages;
