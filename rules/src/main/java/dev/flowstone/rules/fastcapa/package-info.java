// SPDX-License-Identifier: Apache-2.0
/** Reads rules in the configuration form of fastcapa-ng. */
package dev.flowstone.rules.fastcapa;
