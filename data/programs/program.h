/* What the programs share: fixed-width types, the checksum, a random sequence. No libc, no headers but this one. */
#ifndef PROGRAM_H
#define PROGRAM_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long uptr; /* as wide as a register: 32 or 64 bits */

#define NOINLINE __attribute__((noinline))
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Checksum step (FNV-1a on words). reference.py has the same one; 32 bits on both machines. */
static inline __attribute__((always_inline)) u32 mix(u32 h, u32 v) { return (h ^ v) * 16777619u; }
#define MIX_SEED 2166136261u

/* Linear congruential sequence (Numerical Recipes); the upper 24 bits are used. */
static inline __attribute__((always_inline)) u32 next_random(u32 *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Each program is one function; start.S calls it and stores what it returns in `result`. */
u32 program(void);

#endif
