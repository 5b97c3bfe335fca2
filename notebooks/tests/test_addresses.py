# SPDX-License-Identifier: Apache-2.0
import numpy as np

import flowstone


def test_ipv4_and_ipv6_text():
    rows = np.zeros((3, 16), dtype=np.uint8)
    rows[0, 10:] = [0xFF, 0xFF, 192, 0, 2, 1]
    rows[1, :4] = [0x20, 0x01, 0x0D, 0xB8]
    rows[2] = rows[0]
    assert flowstone.format_address(rows[0]) == "192.0.2.1"
    assert flowstone.format_addresses(rows).tolist() == ["192.0.2.1", "2001:db8::", "192.0.2.1"]
