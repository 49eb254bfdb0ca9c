"""Thin command lines over the rest: run, capture, decode, check, report and their helpers."""
