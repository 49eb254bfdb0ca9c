"""Agents: the only place where Python touches a signal."""
