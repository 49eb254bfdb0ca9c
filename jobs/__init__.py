# SPDX-License-Identifier: Apache-2.0
"""What a run is: options and their parsing, jobs, builds, the registry of the systems, results on disk."""
