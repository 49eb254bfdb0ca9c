/* traps for cores without supervisor mode: exceptions of every kind that the core has, nested ones, timer and software
   interrupts (also back to back), wfi, and, where there is user mode, a user task with system calls, a scheduler tick and
   instructions that it must not execute. The result counts exceptions and what was computed, but no ticks. */
#include "program.h"

#define CSR_READ(csr) ({ uptr v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define CSR_WRITE(csr, v) __asm__ volatile("csrw " #csr ", %0" ::"rK"((uptr)(v)) : "memory")
#define CSR_SET(csr, v) __asm__ volatile("csrs " #csr ", %0" ::"rK"((uptr)(v)) : "memory")
#define CSR_CLEAR(csr, v) __asm__ volatile("csrc " #csr ", %0" ::"rK"((uptr)(v)) : "memory")

#define MSIP (*(volatile u32 *)0x2000000)
#define MTIMECMP_LOW (*(volatile u32 *)0x2004000)
#define MTIMECMP_HIGH (*(volatile u32 *)0x2004004)
#define MTIME_LOW (*(volatile u32 *)0x200bff8)

enum { MSI = 1 << 3, MTI = 1 << 7, MIE = 1 << 3, MPP = 3 << 11 };
enum { FETCH_FAULT = 1, ILLEGAL = 2, ECALL_U = 8, ECALL_M = 11 };
enum { ADD, EXIT };              /* a7 of an ecall from user mode */
enum { IBEX = 22 };              /* marchid: its memory can answer with an error */

/* Registers at their number, mepc at 0. */
struct frame { uptr x[32], mstatus, unused[3]; };

void enter_user(void (*entry)(void), char *stack);
void jump_to(uptr address);
extern char m_vector[], m_done[], user_stack_top[];

static volatile u32 exceptions[16], software_count, ticks, user_sum;

static void timer_in(u32 units) {
    MTIMECMP_HIGH = 0;
    MTIMECMP_LOW = MTIME_LOW + units; /* the run is far too short for a carry */
    (void)MTIMECMP_LOW; /* what was pending before may be seen until the write was answered */
}

static u32 length_at(uptr pc) { return (*(const unsigned short *)pc & 3) == 3 ? 4 : 2; }

void handle_exception(struct frame *f, uptr cause, uptr tval) {
    exceptions[cause & 15]++;
    if (cause == FETCH_FAULT) { /* there is no instruction to skip */
        f->x[0] = f->x[1];
        return;
    }
    if (cause == ECALL_U && f->x[17] == EXIT) {
        f->x[0] = (uptr)m_done;
        f->mstatus |= MPP;
        f->x[2] = (uptr)(f + 1); /* the stack as enter_user left it */
        return;
    }
    if (cause == ECALL_U) {
        user_sum = mix(user_sum, (u32)f->x[10]);
        f->x[10] = user_sum;
    }
    if (cause == ILLEGAL && (*(const u32 *)f->x[0] & 0x7f) == 0x0b) /* custom-0: emulated as a0 ^= a1 */
        f->x[10] ^= f->x[11];
    if (cause == ECALL_M && f->x[17] == 1) __asm__ volatile("ebreak"); /* a trap within a trap */
    f->x[0] += length_at(f->x[0]);
    (void)tval;
}

void handle_software(void) {
    MSIP = 0;
    (void)MSIP;
    software_count++;
}

void handle_timer(struct frame *f) {
    ticks++;
    if ((f->mstatus & MPP) == MPP)
        CSR_CLEAR(mie, MTI);
    else
        timer_in(150); /* the next tick of the user task */
}

static NOINLINE u32 with_exceptions(u32 h, u32 errors) {
    __asm__ volatile("ebreak");
    __asm__ volatile("c.ebreak");
    __asm__ volatile(".option push; .option norvc; unimp; .option pop");
    __asm__ volatile("c.unimp");
    for (u32 i = 0; i < 4; i++) {
        register uptr a0 __asm__("a0") = h, a1 __asm__("a1") = i, a7 __asm__("a7") = i & 1;
        __asm__ volatile(".balign 4; .word 0x0000000b" : "+r"(a0) : "r"(a1));
        __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
        h = mix(h, (u32)a0);
    }
    /* Accesses that are not aligned; what they do is the core's choice, and not what the result depends on. */
    static u32 words[4] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c};
    for (u32 i = 1; i < 4; i++) {
        volatile u32 *at = (volatile u32 *)((uptr)words + 4 * i - 3);
        u32 value = *at;
        *at = value;
        (void)*(volatile unsigned short *)((uptr)words + 4 * i - 1);
    }
    if (errors) {
        uptr nowhere = 8;
        __asm__("" : "+r"(nowhere));
        (void)*(volatile u32 *)nowhere;
        *(volatile u32 *)nowhere = h;
        jump_to(0x40);
    }
    for (u32 i = 0; i < 16; i++)
        h = mix(h, exceptions[i]);
    return h;
}

static NOINLINE u32 with_interrupts(u32 h) {
    CSR_WRITE(mie, MSI);
    CSR_SET(mstatus, MIE);
    for (u32 i = 0; i < 3; i++) {
        MSIP = 1;
        while (software_count == i) {}
    }
    for (u32 i = 0; i < 3; i++) {
        timer_in(4 + i);
        CSR_SET(mie, MTI);
        while (ticks == i) {}
    }
    /* Both pending when interrupts open: one after the other without an instruction between them. */
    CSR_CLEAR(mstatus, MIE);
    MSIP = 1;
    timer_in(0);
    CSR_SET(mie, MTI);
    CSR_SET(mstatus, MIE);
    h = mix(mix(h, software_count), ticks);
    /* Asleep with interrupts closed, where the interrupt is taken after wfi, and with interrupts open. */
    for (u32 i = 0; i < 3; i++) {
        if (i == 0) CSR_CLEAR(mstatus, MIE);
        timer_in(i == 0 ? 3 : 40 * i);
        CSR_SET(mie, MTI);
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MIE);
        while (ticks == i + 4) {}
    }
    CSR_WRITE(mie, 0);
    return mix(h, ticks);
}

/* ---- user mode ---- */

#define USER_CODE __attribute__((section(".user.text"), noinline))

static USER_CODE uptr system_call(uptr which, uptr value) {
    register uptr a0 __asm__("a0") = value, a7 __asm__("a7") = which;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

static USER_CODE u32 gcd(u32 a, u32 b) { return b ? gcd(b, a % b) : a; }

/* Greatest common divisors; the instruction that machine mode emulates, and some that user mode does not have. */
USER_CODE void task(void) {
    u32 state = 11;
    for (u32 i = 1; i <= 24; i++) {
        u32 a = next_random(&state), b = next_random(&state);
        register uptr a0 __asm__("a0") = gcd(a, b), a1 __asm__("a1") = i;
        if (i % 4 == 0) __asm__ volatile(".balign 4; .word 0x0000000b" : "+r"(a0) : "r"(a1));
        system_call(ADD, a0);
        if (i % 6 == 0) __asm__ volatile("ebreak");
        if (i % 8 == 0) __asm__ volatile("csrr t0, mstatus" ::: "t0");
        if (i % 12 == 0) __asm__ volatile("mret");
    }
    system_call(EXIT, 0);
}

u32 program(void) {
    CSR_WRITE(mtvec, m_vector + 1);
    CSR_WRITE(mscratch, 0);
    CSR_WRITE(mie, 0);
    u32 h = with_interrupts(with_exceptions(MIX_SEED, CSR_READ(marchid) == IBEX));
    CSR_CLEAR(mstatus, MPP);
    if (!(CSR_READ(mstatus) & MPP)) { /* there is user mode */
        CSR_CLEAR(mstatus, MIE);
        timer_in(150);
        CSR_SET(mie, MTI);
        enter_user(task, user_stack_top);
        CSR_WRITE(mie, 0);
    }
    return mix(mix(mix(h, user_sum), exceptions[ILLEGAL]), exceptions[ECALL_U]);
}
