# SPDX-License-Identifier: Apache-2.0
"""What must agree: checks that run live in a simulation and offline on files, without a simulator."""
