"""Functional coverage: declared points, numpy sampling, merging, and export for existing viewers."""
