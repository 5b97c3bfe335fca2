// SPDX-License-Identifier: Apache-2.0
/**
 * Rules: which packets, and what becomes of them. {@link dev.flowstone.rules.RuleSet} is what a
 * rules file means; {@code yaml} reads and writes it, {@code classify} compiles it.
 */
package dev.flowstone.rules;
