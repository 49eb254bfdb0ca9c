/* SPDX-License-Identifier: Apache-2.0 */
/* CoreMark on a hart with RAM and a counter. Nothing is printed: of all it has to say one sentence counts, that its
   own checksums are right; without it the program ends with 1. */
#include "coremark.h"

volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66; /* of a performance run */
volatile ee_s32 seed4_volatile = ITERATIONS, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;

static CORE_TICKS begin, end;
static int right;

static CORE_TICKS now(void)
{
    unsigned long cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return (CORE_TICKS)cycles;
}

void start_time(void) { begin = now(); }
void stop_time(void) { end = now(); }
CORE_TICKS get_time(void) { return end - begin; }
secs_ret time_in_secs(CORE_TICKS ticks) { return ticks / 1000000; }

void portable_init(core_portable *p, int *argc, char *argv[])
{
    (void)argc;
    (void)argv;
    p->portable_id = 1;
}

void exit(int code);

void portable_fini(core_portable *p)
{
    p->portable_id = 0;
    exit(!right);
}

int ee_printf(const char *fmt, ...)
{
    if (fmt[0] == 'C' && fmt[3] == 'r' && fmt[7] == ' ') /* "Correct operation validated" */
        right = 1;
    return 0;
}
