// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** These rules are in force from here on. */
record RulesEvent(RulesText rules) implements OperatorEvent {}
