# SPDX-License-Identifier: Apache-2.0
"""Tandem-verification trace (version 2018-11-20): configuration, field table, encoder model, decoder and verifier.

    from rvtrace.models.tandem import Config, Profile, Verifier, decode, reference

    config = Config(flen=0)
    decoded = decode(data, config)
    decoded.pc, decoded.insn                       # one element for each section: a group of items with one instruction
    or trap decoded.diagnostics                            # where the bytes contradict the format, each with its clause
    report = Verifier(reference(64), Profile.of(config)).run(decoded, data) report.findings
    # each mismatch, with who is at fault: hart, trace or model

`encode(rows, config)`: the bytes that the profile (docs/reference/tandem-profile.md) sends for `Rows` of retired
instructions; an Encoded. `decode(data, config)`: sections with changes of state, from the bytes of any legal encoder; a
Decoded. `Decoder` takes bytes in pieces. `Verifier(simulator, profile)`: replays sections against an instruction set
simulator (chapter 3; docs/reference/tandem-verifier.md); a Report. ConfigError, ProfileError and RowsError are
ValueErrors about the arguments. Wrong bytes of a trace raise nothing: they are diagnostics.

Encoder model and decoder share the field table and nothing else: they are two independent readings of the
specification.
"""

from rvtrace.models.tandem.config import Config, ConfigError
from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.decoded import Decoded, Group
from rvtrace.models.tandem.decoder.diagnostics import Diagnostic
from rvtrace.models.tandem.encoder.encode import Encoded, encode
from rvtrace.models.tandem.simulator.interface import PartialSimulator, Simulator, reference
from rvtrace.models.tandem.trace_data import Rows, RowsError, TraceData
from rvtrace.models.tandem.verifier.profile import Profile, ProfileError
from rvtrace.models.tandem.verifier.verdict import Finding, Report, Verdict
from rvtrace.models.tandem.verifier.verify import Verifier

__all__ = [
    "Config",
    "ConfigError",
    "Decoded",
    "Decoder",
    "Diagnostic",
    "Encoded",
    "Finding",
    "Group",
    "PartialSimulator",
    "Profile",
    "ProfileError",
    "Report",
    "Rows",
    "RowsError",
    "Simulator",
    "TraceData",
    "Verdict",
    "Verifier",
    "decode",
    "encode",
    "reference",
]
