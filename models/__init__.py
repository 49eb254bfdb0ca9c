"""What the specifications say: a library of reference models that needs no simulator."""
