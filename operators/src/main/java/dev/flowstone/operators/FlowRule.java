// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.results.RuleTag;

/**
 * The part of a rule that a flow record requires when the record is emitted.
 *
 * @param id the number by which flows refer to the rule
 */
public record FlowRule(long id, RuleTag tag, FlowTimeouts timeouts) {}
