// SPDX-License-Identifier: Apache-2.0
/** What the stages of a job count, for whoever tells of it. */
package dev.flowstone.stages;
