// SPDX-License-Identifier: Apache-2.0
/** Distributions of inter-arrival times and packet sizes, of rules, flows and prefixes. */
package dev.flowstone.operators.histogram;
