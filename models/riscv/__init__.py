"""The hart's side: instructions, programs, retire streams and ingress blocks."""
