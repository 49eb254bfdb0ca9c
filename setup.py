# SPDX-License-Identifier: Apache-2.0
"""Names the packages of the distribution `rvtrace`: every Python folder below these, each as rvtrace.<folder>;
pyproject.toml has the rest.
"""

import shutil
import sys

from setuptools import find_packages, setup

FOLDERS = ("models", "scoreboards", "tb", "flow", "report", "tools")
BUILD = "build/wheel"

if "bdist_wheel" in sys.argv:  # modules that were renamed since the last build must not be packed
    shutil.rmtree(BUILD, ignore_errors=True)

setup(
    packages=[
        name
        for folder in FOLDERS
        for name in (f"rvtrace.{folder}", *(f"rvtrace.{folder}.{inner}" for inner in find_packages(folder)))
    ],
    options={"build": {"build_base": BUILD}},
    package_dir={f"rvtrace.{folder}": folder for folder in FOLDERS},
)
