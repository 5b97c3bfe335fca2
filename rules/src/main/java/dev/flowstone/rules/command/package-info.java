// SPDX-License-Identifier: Apache-2.0
/** {@code ./flowstone rules}. */
package dev.flowstone.rules.command;
