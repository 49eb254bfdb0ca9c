// SPDX-License-Identifier: Apache-2.0
// A supervisor that plays commands from memory and prints what each one gave, a line a command.
// Who writes the commands and reads the lines: flow/opensbi/machine.py.

typedef unsigned long word;  // XLEN bits
typedef unsigned long long wide;

enum { END, CALL, PEEK, POKE, CSR, SPIN, ILLEGAL, LOAD, STORE };

struct command {
    wide op, size;  // size: bytes of what follows
    wide arguments[];
};

static const struct command *const commands = (const struct command *)0x80800000;
static volatile unsigned char *const uart = (volatile unsigned char *)0x10000000;
static volatile unsigned *const finisher = (volatile unsigned *)0x100000;
extern word csr_access(word value);
extern volatile unsigned csr_instruction;

static void put(char c)
{
    while (!(uart[5] & 0x20))
        ;
    uart[0] = (unsigned char)c;
}

static void hex(wide value, int digits)
{
    while (digits)
        put("0123456789abcdef"[value >> 4 * --digits & 15]);
}

static void number(wide value)
{
    put(' ');
    hex(value, 16);
}

struct answer {
    word error, value;
};

static struct answer ecall(word eid, word fid, const wide *a)
{
    register word a0 __asm__("a0") = (word)a[0];
    register word a1 __asm__("a1") = (word)a[1];
    register word a2 __asm__("a2") = (word)a[2];
    register word a3 __asm__("a3") = (word)a[3];
    register word a4 __asm__("a4") = (word)a[4];
    register word a5 __asm__("a5") = (word)a[5];
    register word a6 __asm__("a6") = fid;
    register word a7 __asm__("a7") = eid;
    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7) : "memory");
    return (struct answer){a0, a1};
}

// op: 0 read, 1 write, 2 set, 3 clear.
static word csr(word op, word address, word value)
{
    const word funct3 = op == 0 ? 2 : op, source = op == 0 ? 0 : 10;
    csr_instruction = (unsigned)(address << 20 | source << 15 | funct3 << 12 | 10 << 7 | 0x73);
    __asm__ volatile("fence.i" ::: "memory");
    return csr_access(value);
}

static void play(const struct command *c)
{
    const wide *a = c->arguments;
    volatile unsigned char *bytes = (volatile unsigned char *)(word)a[0];
    struct answer answer;
    switch (c->op) {
    case CALL:
        answer = ecall((word)a[0], (word)a[1], a + 2);
        put('C'), number(answer.error), number(answer.value);
        break;
    case PEEK:
        put('P'), put(' ');
        for (word i = 0; i < a[1]; i++)
            hex(bytes[i], 2);
        break;
    case POKE:
        for (word i = 0; i < a[1]; i++)
            bytes[i] = ((const unsigned char *)(a + 2))[i];
        put('.');
        break;
    case CSR:
        answer.value = csr((word)a[0], (word)a[1], (word)a[2]);
        put('R'), number(answer.value);
        break;
    case SPIN:
        for (word n = (word)a[0]; n; n--)
            __asm__ volatile("nop");
        put('.');
        break;
    case ILLEGAL:
        __asm__ volatile(".word 0");
        put('.');
        break;
    case LOAD:
        __asm__ volatile("lw zero, 0(%0)" ::"r"(bytes));
        put('.');
        break;
    case STORE:
        __asm__ volatile("sw zero, 0(%0)" ::"r"(bytes));
        put('.');
        break;
    }
}

void supervisor(void)
{
    const wide none[6] = {0};
    put('H');  // base extension: version of the specification, implementation, its version
    for (word fid = 0; fid < 3; fid++)
        number(ecall(0x10, fid, none).value);
    put('\n');
    for (const struct command *c = commands; c->op != END; c = (const struct command *)((word)(c + 1) + (word)c->size)) {
        __asm__ volatile("csrw scause, %0" ::"r"(~0ul));
        play(c);
        word cause;
        __asm__ volatile("csrr %0, scause" : "=r"(cause));
        if (cause != ~0ul)
            put(' '), put('T'), number(cause);
        put('\n');
    }
    put('E'), put('\n');
    *finisher = 0x5555;  // power off
    for (;;)
        ;
}
