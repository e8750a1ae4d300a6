# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of a real PMU share.

boot_arm64   boot_arm64(COMMANDS, program=C, ...) -> what an emulated arm64 kernel with a real PMU driver answered
"""
from arm64_guest import boot_arm64  # noqa: F401
