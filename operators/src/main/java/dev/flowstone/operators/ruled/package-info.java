// SPDX-License-Identifier: Apache-2.0
/** Blocks whose packets have a rule each: what functions that rules choose work on. */
package dev.flowstone.operators.ruled;
