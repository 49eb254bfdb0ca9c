/* traps: a machine monitor, a supervisor kernel and two user tasks. Exceptions in all three modes, nested ones, timer
   and software interrupts (also back to back), page faults on demand-mapped memory, system calls, and a scheduler that
   writes each task's ASID to satp. The result counts exceptions and what the tasks computed, but no timer ticks. */
#include "program.h"

#define CSR_READ(csr) ({ uptr v_; __asm__ volatile("csrr %0, " #csr : "=r"(v_)); v_; })
#define CSR_WRITE(csr, v) __asm__ volatile("csrw " #csr ", %0" ::"rK"((uptr)(v)) : "memory")
#define CSR_SET(csr, v) __asm__ volatile("csrs " #csr ", %0" ::"rK"((uptr)(v)) : "memory")
#define CSR_CLEAR(csr, v) __asm__ volatile("csrc " #csr ", %0" ::"rK"((uptr)(v)) : "memory")

#define MSIP (*(volatile u32 *)0x2000000)
#define MTIMECMP_LOW (*(volatile u32 *)0x2004000)
#define MTIMECMP_HIGH (*(volatile u32 *)0x2004004)
#define MTIME_LOW (*(volatile u32 *)0x200bff8)

enum { SSI = 1 << 1, MSI = 1 << 3, STI = 1 << 5, MTI = 1 << 7, MIE = 1 << 3, SPP = 1 << 8 };
enum { ILLEGAL = 2, BREAKPOINT = 3, ECALL_U = 8, ECALL_S = 9, ECALL_M = 11, LOAD_PAGE = 13, STORE_PAGE = 15 };
enum { FROM_S_DONE, FROM_S_TIMER };                      /* a7 of an ecall from supervisor mode */
enum { FROM_U_EXIT, FROM_U_YIELD, FROM_U_ADD, FROM_U_POKE }; /* a7 of an ecall from user mode */

/* Registers at their number, the EPC at 0. */
struct frame { uptr x[32], mstatus, unused; };

void enter_supervisor(void (*entry)(void), char *stack);
void jump_to(uptr address);
extern char m_vector[], s_entry[], m_done[], s_stack_top[];
__attribute__((noreturn)) void s_resume(struct frame *frame);

/* ---- machine mode ---- */

static volatile u32 exceptions[16], m_software_count, m_ticks;

static void timer_in(u32 units) {
    MTIMECMP_HIGH = 0;
    MTIMECMP_LOW = MTIME_LOW + units; /* the run is far too short for a carry */
}

static u32 length_at(uptr pc) { return (*(const unsigned short *)pc & 3) == 3 ? 4 : 2; }

void m_handle_exception(struct frame *f, uptr cause, uptr tval) {
    __atomic_fetch_add(&exceptions[cause & 15], 1, __ATOMIC_RELAXED);
    if (cause == 1) { /* fetch: there is no instruction to skip */
        f->x[0] = f->x[1];
    } else if (cause == ECALL_S) {
        if (f->x[17] == FROM_S_DONE) {
            f->x[0] = (uptr)m_done;
            f->mstatus |= 3 << 11;
            f->x[2] = (uptr)(f + 1); /* the stack as enter_supervisor left it */
            return;
        }
        timer_in((u32)f->x[10]);
        CSR_CLEAR(mip, STI);
        CSR_SET(mie, MTI);
        f->x[0] += 4;
    } else {
        if (cause == ILLEGAL && (tval & 0x7f) == 0x0b) /* custom-0: emulated as a0 ^= a1 */
            f->x[10] ^= f->x[11];
        if (cause == ECALL_M && f->x[17] == 1) __asm__ volatile("ebreak"); /* a trap within a trap */
        f->x[0] += length_at(f->x[0]);
    }
}

void m_handle_software(void) {
    MSIP = 0;
    m_software_count++;
}

/* A tick for machine mode itself counts; one below it goes on to the supervisor. */
void m_handle_timer(struct frame *f) {
    CSR_CLEAR(mie, MTI);
    m_ticks++;
    if ((f->mstatus >> 11 & 3) != 3) CSR_SET(mip, STI);
}

static NOINLINE u32 machine_exceptions(u32 h) {
    __asm__ volatile("ebreak");
    __asm__ volatile("c.ebreak");
    __asm__ volatile("unimp");
    __asm__ volatile("c.unimp");
    for (u32 i = 0; i < 4; i++) {
        register uptr a0 __asm__("a0") = h, a1 __asm__("a1") = i, a7 __asm__("a7") = i & 1;
        __asm__ volatile(".word 0x0000000b" : "+r"(a0) : "r"(a1));
        __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
        h = mix(h, (u32)a0);
    }
    uptr nowhere = 8;
    __asm__("" : "+r"(nowhere));
    (void)*(volatile u32 *)nowhere;
    *(volatile u32 *)nowhere = h;
    jump_to(0x40);
    for (u32 i = 0; i < COUNT(exceptions); i++)
        h = mix(h, exceptions[i]);
    return h;
}

static NOINLINE u32 machine_interrupts(u32 h) {
    CSR_WRITE(mie, MSI);
    CSR_SET(mstatus, MIE);
    for (u32 i = 0; i < 3; i++) {
        MSIP = 1;
        while (m_software_count == i) {}
    }
    for (u32 i = 0; i < 3; i++) {
        timer_in(4 + i);
        CSR_SET(mie, MTI);
        while (m_ticks == i) {}
    }
    /* Both pending when interrupts open: one after the other without an instruction between them. */
    CSR_CLEAR(mstatus, MIE);
    MSIP = 1;
    timer_in(0);
    CSR_SET(mie, MTI);
    CSR_SET(mstatus, MIE);
    h = mix(mix(h, m_software_count), m_ticks);
    timer_in(3);
    CSR_SET(mie, MTI);
    __asm__ volatile("wfi");
    CSR_WRITE(mie, 0);
    return h;
}

/* ---- supervisor mode ---- */

#define PAGE_TABLE __attribute__((section(".tables"), aligned(4096)))
enum { V = 1, R = 2, WR = 4, X = 8, U = 16, A = 64, D = 128 };
#if __riscv_xlen == 64
#define PAGING ((uptr)8 << 60)
#define ASID_SHIFT 44
#define SUPERPAGE 21
static uptr PAGE_TABLE root[512], middle[512];
static uptr *entry_of(uptr address) { return &middle[address >> SUPERPAGE & 511]; }
static void link_tables(void) { root[2] = (uptr)middle >> 12 << 10 | V; }
#else
#define PAGING ((uptr)1 << 31)
#define ASID_SHIFT 22
#define SUPERPAGE 22
static uptr PAGE_TABLE root[1024];
static uptr *entry_of(uptr address) { return &root[address >> SUPERPAGE]; }
static void link_tables(void) {}
#endif
#define KERNEL ((uptr)0x80000000)
#define USER ((uptr)0x80400000)
#define LAZY ((uptr)0x80800000) /* mapped at its first touch */
#define USER_STACK(task) (USER + 0x8000 + 0x1000 * (task))

static struct task { struct frame frame; u32 hash, ticks, pokes, alive; } tasks[2];
static u32 current;

static void map(uptr address, uptr bits) { *entry_of(address) = address >> 12 << 10 | bits | V | R | WR | A | D; }

static uptr machine_call(uptr which, uptr value) {
    register uptr a0 __asm__("a0") = value, a7 __asm__("a7") = which;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

static struct frame *run_task(u32 next) {
    current = next;
    CSR_WRITE(satp, PAGING | (uptr)(next + 1) << ASID_SHIFT | (uptr)root >> 12);
    return &tasks[next].frame;
}

static u32 other(void) { return tasks[!current].alive ? !current : current; }

struct frame *s_handle(struct frame *f, uptr cause, uptr stval) {
    struct task *task = &tasks[current];
    if ((long)cause < 0) {
        if ((cause & 15) == 1) {
            CSR_CLEAR(sip, SSI);
            task->pokes++;
            return f;
        }
        task->ticks++;
        machine_call(FROM_S_TIMER, 9);
        return run_task(other());
    }
    if (cause == LOAD_PAGE || cause == STORE_PAGE) {
        task->hash = mix(mix(task->hash, (u32)cause), (u32)stval);
        map(stval >> SUPERPAGE << SUPERPAGE, U);
        __asm__ volatile("sfence.vma" ::: "memory");
        return f; /* once more */
    }
    if (cause == BREAKPOINT) {
        task->hash = mix(task->hash, 3);
        f->x[0] += 4;
        return f;
    }
    f->x[0] += 4;
    if (f->x[17] == FROM_U_ADD) {
        task->hash = mix(task->hash, (u32)f->x[10]);
        f->x[10] = task->hash;
    } else if (f->x[17] == FROM_U_POKE) {
        CSR_SET(sip, SSI); /* pending: taken as soon as the task is back, before its first instruction */
    } else if (f->x[17] == FROM_U_YIELD) {
        return run_task(other());
    } else {
        task->alive = 0;
        if (!tasks[!current].alive) machine_call(FROM_S_DONE, 0);
        return run_task(!current);
    }
    return f;
}

void task_sums(void), task_pages(void);

static void supervisor(void) {
    static void (*const entries[])(void) = {task_sums, task_pages};
    link_tables();
    map(KERNEL, X);
    map(USER, U | X);
    CSR_WRITE(stvec, s_entry);
    CSR_CLEAR(sstatus, SPP); /* sret to user mode */
    for (u32 i = 0; i < COUNT(tasks); i++) {
        tasks[i].hash = MIX_SEED;
        tasks[i].alive = 1;
        tasks[i].frame.x[0] = (uptr)entries[i];
        tasks[i].frame.x[2] = USER_STACK(i + 1);
    }
    CSR_WRITE(sie, SSI | STI);
    machine_call(FROM_S_TIMER, 9);
    s_resume(run_task(0));
}

/* ---- user mode ---- */

#define USER_CODE __attribute__((section(".user.text"), noinline))

static USER_CODE uptr system_call(uptr which, uptr value) {
    register uptr a0 __asm__("a0") = value, a7 __asm__("a7") = which;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

static USER_CODE u32 gcd(u32 a, u32 b) { return b ? gcd(b, a % b) : a; }

/* Greatest common divisors; yields, pokes and executes the instruction that machine mode emulates. */
USER_CODE void task_sums(void) {
    u32 state = 11;
    for (u32 i = 1; i <= 24; i++) {
        u32 a = next_random(&state), b = next_random(&state);
        register uptr a0 __asm__("a0") = gcd(a, b), a1 __asm__("a1") = i;
        if (i % 4 == 0) __asm__ volatile(".word 0x0000000b" : "+r"(a0) : "r"(a1));
        system_call(FROM_U_ADD, a0);
        if (i % 3 == 0) system_call(FROM_U_YIELD, 0);
        if (i % 6 == 0) system_call(FROM_U_POKE, 0);
    }
    system_call(FROM_U_EXIT, 0);
}

/* Fills and sums memory that is not there yet; stops at breakpoints. */
USER_CODE void task_pages(void) {
    for (u32 page = 0; page < 3; page++) {
        volatile u32 *words = (volatile u32 *)(LAZY + page * 0x400000);
        u32 sum = page == 1 ? words[5] : 0;
        for (u32 i = 0; i < 40; i++) words[i * 16] = i * i + page;
        for (u32 i = 0; i < 40; i++) sum += words[i * 16];
        __asm__ volatile(".option push; .option norvc; ebreak; .option pop");
        system_call(FROM_U_ADD, sum);
    }
    system_call(FROM_U_EXIT, 0);
}

u32 program(void) {
    CSR_WRITE(mtvec, m_vector + 1);
    CSR_WRITE(mscratch, 0);
    CSR_WRITE(mie, 0);
    u32 h = machine_interrupts(machine_exceptions(MIX_SEED));
    CSR_WRITE(pmpaddr0, ~(uptr)0 >> (sizeof(uptr) == 8 ? 10 : 0)); /* all memory, to all modes */
    CSR_WRITE(pmpcfg0, 0x1f);
    CSR_WRITE(medeleg, 1 << BREAKPOINT | 1 << ECALL_U | 1 << LOAD_PAGE | 1 << STORE_PAGE);
    CSR_WRITE(mideleg, SSI | STI);
    CSR_CLEAR(mstatus, MIE);
    enter_supervisor(supervisor, s_stack_top);
    for (u32 i = 0; i < COUNT(tasks); i++)
        h = mix(mix(h, tasks[i].hash), tasks[i].pokes);
    /* Timer calls are as many as ticks, so calls from supervisor mode do not count. */
    return mix(mix(h, exceptions[ILLEGAL]), exceptions[BREAKPOINT]);
}
