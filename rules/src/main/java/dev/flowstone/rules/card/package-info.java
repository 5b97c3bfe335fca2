// SPDX-License-Identifier: Apache-2.0
/** Rules as a card holds them, and which of a set it can hold without another meaning. */
package dev.flowstone.rules.card;
