// SPDX-License-Identifier: Apache-2.0
/** Packets that go on as packets: all of a rule's, or a sample of them, under changed addresses. */
package dev.flowstone.operators.packets;
