// SPDX-License-Identifier: Apache-2.0
/** Functions as a user would write them, for the demo's rules. */
package dev.flowstone.demo.function;
