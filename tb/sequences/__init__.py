"""Sequences and the stimuli they play."""
