// SPDX-License-Identifier: Apache-2.0
/** Compiles a set of rules and finds each packet's. */
package dev.flowstone.rules.classify;
