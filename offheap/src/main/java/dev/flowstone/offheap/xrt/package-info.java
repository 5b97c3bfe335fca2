// SPDX-License-Identifier: Apache-2.0
/**
 * Cards by way of XRT's native C API: open, load, start, registers, memory that both sides have.
 */
package dev.flowstone.offheap.xrt;
