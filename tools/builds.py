"""What can be built: the testbench of each system, and the parameters a build of it has and a run cannot change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar

from models.ctr.config import DEPTHS
from models.ctr.config import Config as CtrConfig
from models.etrace.config import Config as EtraceConfig
from models.hpm.config import Config as HpmConfig
from models.loop.config import Config as LoopConfig
from models.ntrace.config import Config
from models.subsystem.config import Config as SubsystemConfig
from models.tandem.config import Config as TandemConfig
from models.tandem.table import PARTS

ROOT = Path(__file__).resolve().parent.parent


def _vector(values: Sequence[int], width: int) -> str:
    """A packed vector as SystemVerilog has it, the first value lowest."""
    return f"{width * len(values)}'h{sum(value << width * place for place, value in enumerate(values)):x}"


@dataclass(frozen=True)
class Bench:
    """A testbench: its top module, the folders of rtl/ and the list of tb/hdl it is made of, and the Python that plays its jobs."""

    top: str = "ntrace_tb"
    rtl: tuple[str, ...] = ("ntrace",)
    hdl: str = "files.f"
    module: str = "tb.envs.ntrace_run"

    @property
    def settings(self) -> Path:
        """What Verilator is told about the top."""
        return ROOT / "tb" / "hdl" / f"{self.top}.vlt"


@dataclass(frozen=True)
class BuildConfig:
    """The parameters of ntrace_tb: what a build has and a run cannot change."""

    BENCH: ClassVar[Bench] = Bench()

    Xlen: int = 64
    NBlocks: int = 1
    IRetireWidth: int = 7
    IcntBits: int = 22
    HistBits: int = 32
    StackDepth: int = 8
    RepeatBits: int = 18
    TsWidth: int = 64
    FifoDepth: int = 16

    @classmethod
    def of(cls, config: Config) -> BuildConfig:
        """Those of a configuration."""
        return cls(
            config.xlen, config.blocks, config.iretire_bits, config.icnt_bits, config.hist_bits,
            config.stack_depth, config.repeat_bits, config.ts_width, config.fifo_depth,
        )  # fmt: skip


@dataclass(frozen=True)
class EtraceBuild:
    """The parameters of etrace_tb."""

    BENCH: ClassVar[Bench] = Bench("etrace_tb", ("etrace",), "etrace_files.f", "tb.envs.etrace_run")

    NBlocks: int = 1
    IAddressWidth: int = 64
    IAddressLsb: int = 1
    ContextWidth: int = 32
    NoContext: int = 0
    TimeWidth: int = 32
    NoTime: int = 1
    PrivilegeWidth: int = 3
    EcauseWidth: int = 6
    NoTval: int = 0
    IRetireWidth: int = 7
    BpredSize: int = 6
    CacheSize: int = 5
    CallCounterSize: int = 0
    ReturnStackSize: int = 4
    F0sWidth: int = 1
    SijumpEn: int = 1
    EncoderModeN: int = 1
    IOptionsN: int = 6
    DOptionsN: int = 0
    BcountBits: int = 32
    FifoDepth: int = 32

    @property
    def Xlen(self) -> int:
        """Bits of an address."""
        return self.IAddressWidth

    @classmethod
    def of(cls, config: EtraceConfig) -> EtraceBuild:
        """Those of a configuration. A field of width 0 is one that the encoder leaves out."""
        return cls(
            config.blocks, config.xlen, config.iaddress_lsb_p, config.context_width_p or 1, config.nocontext_p or int(not config.context_width_p),
            config.time_width_p or 1, config.notime_p or int(not config.time_width_p), config.privilege_width_p, config.ecause_width_p,
            config.notval_p, config.iretire_width_p, config.bpred_size_p, config.cache_size_p, config.call_counter_size_p,
            config.return_stack_size_p, config.f0s_width_p, config.sijump_p, config.encoder_mode_n, config.ioptions_n, config.doptions_n,
            config.bcount_bits, config.fifo_depth,
        )  # fmt: skip


@dataclass(frozen=True)
class CtrBuild:
    """The parameters of ctr_tb."""

    BENCH: ClassVar[Bench] = Bench("ctr_tb", ("ctr",), "ctr_files.f", "tb.envs.ctr_run")

    Xlen: int = 64
    Draft: int = 0
    NTransfers: int = 4
    Depths: int = 31
    HasS: int = 1
    HasH: int = 1
    FieldsLow: int = 0xFFFF
    FieldsHigh: int = 0xFFFF
    HasMisp: int = 1
    HasType: int = 1
    HasCc: int = 1
    CceBits: int = 4
    RasPolicy: int = 0
    HasStateen: int = 1

    @property
    def NBlocks(self) -> int:
        """Transfers in a cycle."""
        return self.NTransfers

    @classmethod
    def of(cls, config: CtrConfig) -> CtrBuild:
        """Those of a configuration."""
        depths = sum(1 << place for place, depth in enumerate(DEPTHS) if depth in config.depths)
        return cls(
            config.xlen, int(config.draft), config.transfers, depths, config.has_s, config.has_h, config.fields & 0xFFFF,
            config.fields >> 32 & 0xFFFF, config.has_misp, config.has_type, config.has_cc, config.cce_bits, config.ras_policy, config.has_stateen,
        )  # fmt: skip


@dataclass(frozen=True)
class HpmBuild:
    """The parameters of hpm_tb. Widths, Selectors: counter 0 in the lowest bits, 7 and 64 bits each."""

    BENCH: ClassVar[Bench] = Bench("hpm_tb", ("hpm",), "hpm_files.f", "tb.envs.hpm_run")

    Xlen: int
    NRetired: int
    NEvents: int
    EventBits: int
    Counters: str
    Widths: str
    Selectors: str
    Inhibit: str
    HasU: int
    HasS: int
    HasH: int
    HasSscofpmf: int
    HasSmcntrpmf: int
    HasShlcofideleg: int

    @property
    def NBlocks(self) -> int:
        """Counters that can be programmed."""
        return int(self.Counters.partition("h")[2], 16).bit_count()

    @classmethod
    def of(cls, config: HpmConfig) -> HpmBuild:
        """Those of a configuration."""
        return cls(
            config.xlen, config.retired, config.events, config.event_bits, _vector([config.counters], 32), _vector(config.widths, 7),
            _vector(config.selectors, 64), _vector([config.inhibit], 32), config.has_u, config.has_s, config.has_h, config.has_sscofpmf,
            config.has_smcntrpmf, config.has_shlcofideleg,
        )  # fmt: skip


class SbiPmuBuild(HpmBuild):
    """The same simulation, played by another bench: repr is that of the counters' build, so that it is built once."""

    BENCH: ClassVar[Bench] = replace(HpmBuild.BENCH, module="tb.envs.sbi_pmu_run")

    def __repr__(self) -> str:
        return repr(HpmBuild(**asdict(self)))


@dataclass(frozen=True)
class LoopBuild:
    """The parameters of loop_tb."""

    BENCH: ClassVar[Bench] = Bench("loop_tb", ("hpm", "ctr"), "loop_files.f", "tb.envs.loop_run")

    Xlen: int
    NTransfers: int
    Widths: str

    @property
    def NBlocks(self) -> int:
        """Transfers in a cycle."""
        return self.NTransfers

    @classmethod
    def of(cls, config: LoopConfig) -> LoopBuild:
        """Those of a configuration."""
        return cls(config.xlen, config.transfers, _vector(config.hpm.widths, 7))


@dataclass(frozen=True)
class TandemBuild:
    """The parameters of tandem_tb. OutBytes and FifoRows change no byte: other ones come with other lanes and widths, so that all are met."""

    BENCH: ClassVar[Bench] = Bench("tandem_tb", ("tandem",), "tandem_files.f", "tb.envs.tandem_run")

    Xlen: int = 64
    Flen: int = 64
    Mlen: int = 64
    NLanes: int = 1
    Incremental: int = 1
    ImpliedEnd: int = 0
    Absent: str = _vector([0], len(PARTS))
    ResponseDataOnFailure: int = 0
    OutBytes: int = 32
    FifoRows: int = 8

    @property
    def NBlocks(self) -> int:
        """Rows in a cycle."""
        return self.NLanes

    @classmethod
    def of(cls, config: TandemConfig) -> TandemBuild:
        """Those of a configuration."""
        absent = sum(1 << bit for bit, part in enumerate(PARTS) if part.absent in config.absent)
        width, depth = {(64, 1): (32, 8), (64, 2): (64, 16), (32, 1): (4, 2), (32, 2): (8, 4)}[config.xlen, config.lanes]
        return cls(
            config.xlen, config.flen, config.mlen, config.lanes, config.incremental, config.implied_end, _vector([absent], len(PARTS)), config.response_data_on_failure, width, depth,
        )  # fmt: skip


@dataclass(frozen=True)
class SubsystemBuild:
    """The parameters of subsystem_tb: all that a run cannot change; its parts have what models/subsystem/config.py gives them."""

    BENCH: ClassVar[Bench] = Bench(
        "subsystem_tb", ("ntrace", "etrace", "control", "tandem", "ctr", "hpm", "subsystem"), "subsystem_files.f", "tb.envs.subsystem_run"
    )

    Xlen: int = 64
    NRet: int = 1
    Incremental: int = 1

    @property
    def NBlocks(self) -> int:
        """Instructions and traps in a cycle."""
        return self.NRet

    @classmethod
    def of(cls, config: SubsystemConfig) -> SubsystemBuild:
        """Those of a configuration."""
        return cls(config.xlen, config.retire, config.incremental)
