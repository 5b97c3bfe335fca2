// SPDX-License-Identifier: Apache-2.0
/** What operators of one chain hand each other by reference. */
package dev.flowstone.operators.chain;
