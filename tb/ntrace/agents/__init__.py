# SPDX-License-Identifier: Apache-2.0
"""Rows of the files of ntrace_tb; its agents are those of every ingress port (`tb/common/agents`)."""
