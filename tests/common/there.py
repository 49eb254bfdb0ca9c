# SPDX-License-Identifier: Apache-2.0
"""A value that a test knows to be there."""

from typing import TypeVar

T = TypeVar("T")


def there(value: T | None) -> T:
    """The value; fails the test if there is none."""
    assert value is not None
    return value
