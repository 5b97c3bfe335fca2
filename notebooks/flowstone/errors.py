# SPDX-License-Identifier: Apache-2.0
"""What is raised for a message that is not a valid packet batch."""


class BatchError(ValueError):
    """Names the place in the message and the reason; the message can only be skipped."""

    def __init__(self, place: str, reason: str):
        super().__init__(f"packet batch refused at {place}: {reason}")
        self.place = place
        self.reason = reason
