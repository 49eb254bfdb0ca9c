# SPDX-License-Identifier: Apache-2.0
"""menvcfg, menvcfgh and senvcfg of the reference simulator: where they are, who may access them,
what can be written.
"""

import pytest

from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.csr import MENVCFG, MENVCFGH, SENVCFG
from rvtrace.models.riscv.iss.hart import Hart
from tests.tandem.test_simulator_csrs import RW, csr, run


@pytest.mark.parametrize(
    "address,least,modes,xlen",
    [(MENVCFG, 3, ("mu", "msu"), (32, 64)), (MENVCFGH, 3, ("mu", "msu"), (32,)), (SENVCFG, 1, ("msu",), (32, 64))],
)
def test_environment_configuration(address: int, least: int, modes: tuple[str, ...], xlen: tuple[int, ...]) -> None:
    """menvcfg is there with U-mode, its high half on RV32 only, senvcfg with S-mode (3.1.18, 4.1.10); of their fields a
    hart without Zicbo*, Svpbmt, Sstc has FIOM.
    """
    for width in (32, 64):
        for some in ("m", "mu", "msu"):
            for priv in (0, 1, 3):
                hart = Hart(HartConfig(width, modes=some))
                hart.set_priv(priv)
                hart.x[5] = (1 << width) - 1
                trap = run(hart, csr(RW, address, 6, 5))
                legal = some in modes and width in xlen and priv >= least
                assert trap == (None if legal else (0, 2)), (width, some, priv)
                assert not legal or (hart.read_csr(address), hart.table.writable[address]) == (
                    (0, 0) if address == MENVCFGH else (1, 1)
                )
