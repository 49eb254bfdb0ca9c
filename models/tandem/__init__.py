"""Tandem-verification trace: field table, encoder, decoder, verifier. What is chosen where the specification leaves it open: docs/tandem-profile.md."""
