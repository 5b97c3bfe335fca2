// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

class PlainFileRingFileTest extends RingFileContractTest {}
