# SPDX-License-Identifier: Apache-2.0
"""Faults: one row format (rows.py), many compiled together and one selected at run time (combine.py), one runner, one
row of an outcome (runner.py), one report (report/faults.py).

There are no mutants of Python: of the maintained tools mutmut 3.8 finds no test for a package that is imported through
links and does not mutate decorated functions, and cosmic-ray writes into the checkout and runs each test for each
mutant.
"""

ENVIRONMENT = "RVTRACE_MUTANT"  # the numbers of the mutants, for a simulator that is a copy of a process
NOTES = "RVTRACE_NOTES"  # the file in which a run without a mutant notes those that it could show
