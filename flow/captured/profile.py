# SPDX-License-Identifier: Apache-2.0
"""What is known of the hart of a captured tandem trace: PROFILE=, else what the configuration of its encoder says."""

from __future__ import annotations

from collections.abc import Mapping

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs.arguments import ArgumentError, existing_file, json_of
from rvtrace.models.common import shown
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.verifier.profile import Profile


def profile_of(given: Mapping[str, str], files: TraceFiles) -> Profile:
    """The profile; ArgumentError if PROFILE= cannot be used."""
    if "PROFILE" not in given:
        return Profile.of(files.config, virt(files.config.xlen))
    path = existing_file(given, "PROFILE", given["PROFILE"])
    try:
        profile = Profile.from_dict(shown.values(json_of(path.read_text())))
    except (ValueError, TypeError, AttributeError) as error:
        raise ArgumentError(
            f"{path} is no profile ({error}); give the JSON of rvtrace.models.tandem.verifier.profile.Profile.to_dict"
        ) from None
    if profile.hart.xlen != files.config.xlen:
        raise ArgumentError(
            f"{path} is of RV{profile.hart.xlen} and the configuration says XLEN={files.config.xlen}; give those of one"
            " hart"
        )
    return profile
