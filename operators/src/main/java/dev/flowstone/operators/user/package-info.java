// SPDX-License-Identifier: Apache-2.0
/** Functions that users write: a class against a small interface, named by a rule. */
package dev.flowstone.operators.user;
