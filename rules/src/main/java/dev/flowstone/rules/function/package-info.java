// SPDX-License-Identifier: Apache-2.0
/** What becomes of a rule's packets, with all that the rule says of how. */
package dev.flowstone.rules.function;
