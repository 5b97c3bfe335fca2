// SPDX-License-Identifier: Apache-2.0
/** What the stages of a job have counted, as results of the job. */
package dev.flowstone.operators.stages;
