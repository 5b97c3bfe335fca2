// SPDX-License-Identifier: Apache-2.0
/** What functions find out about packets, and how it is written for those who read it. */
package dev.flowstone.results;
