// SPDX-License-Identifier: Apache-2.0
// For tests of the source level. From 27, Collatz's sequence has 111 steps, 41 of them from an odd number (OEIS A006577, A006667).
//   riscv64-unknown-elf-gcc -g -O1 -march=rv64imac -mabi=lp64 -mcmodel=medany -nostdlib -static -fno-ident -fdebug-prefix-map=$PWD=. \
//     -Ttext=0x80000000 -Wl,--build-id=none,--no-warn-rwx-segments -o collatz.rv64.elf collatz.c
volatile long tohost;
volatile int steps;

static __attribute__((noinline)) int next(int x)
{
    if (x & 1)
        return 3 * x + 1;
    return x / 2;
}

int never(int x)
{
    return x + 1;
}

__attribute__((noinline)) int walk(int x)
{
    int count = 0;
    while (x != 1) {
        x = next(x);
        count++;
    }
    return count;
}

__attribute__((noinline)) int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

void program(void)
{
    steps = walk(27);
    steps += ackermann(2, 1);
    tohost = 1;
    for (;;)
        ;
}

__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__("li sp, 0x80100000\n\tj program");
}
