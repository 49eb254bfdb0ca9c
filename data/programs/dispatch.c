/* dispatch: jumps whose target only the data knows. A byte-code machine whose handlers tail-call each other, a state
   machine of functions, objects with method tables, and (dispatch.S) a generator that swaps with its caller. */
#include "program.h"

/* The byte-code machine: every handler ends in a tail call through `handlers`. */
enum { PUSH, ADD, SUB, MUL, DUP, SWAP, LOAD, STORE, JUMP_NZ, CALL, RET, HALT, OPS };
typedef u32 handler(const u8 *pc, u32 *sp, u32 *frame);
static handler *const handlers[OPS];
static u32 variables[8];
static const u8 *code_start;

#define NEXT return handlers[*pc](pc + 1, sp, frame)
static u32 op_push(const u8 *pc, u32 *sp, u32 *frame) { *sp++ = *pc++; NEXT; }
static u32 op_add(const u8 *pc, u32 *sp, u32 *frame) { sp--; sp[-1] += sp[0]; NEXT; }
static u32 op_sub(const u8 *pc, u32 *sp, u32 *frame) { sp--; sp[-1] -= sp[0]; NEXT; }
static u32 op_mul(const u8 *pc, u32 *sp, u32 *frame) { sp--; sp[-1] *= sp[0]; NEXT; }
static u32 op_dup(const u8 *pc, u32 *sp, u32 *frame) { sp[0] = sp[-1]; sp++; NEXT; }
static u32 op_swap(const u8 *pc, u32 *sp, u32 *frame) {
    u32 t = sp[-1];
    sp[-1] = sp[-2];
    sp[-2] = t;
    NEXT;
}
static u32 op_load(const u8 *pc, u32 *sp, u32 *frame) { *sp++ = variables[*pc++]; NEXT; }
static u32 op_store(const u8 *pc, u32 *sp, u32 *frame) { variables[*pc++] = *--sp; NEXT; }
static u32 op_jump_nz(const u8 *pc, u32 *sp, u32 *frame) {
    pc = *--sp ? code_start + *pc : pc + 1;
    NEXT;
}
static u32 op_call(const u8 *pc, u32 *sp, u32 *frame) {
    *frame++ = (u32)(pc + 1 - code_start);
    pc = code_start + *pc;
    NEXT;
}
static u32 op_ret(const u8 *pc, u32 *sp, u32 *frame) { pc = code_start + *--frame; NEXT; }
static u32 op_halt(const u8 *pc, u32 *sp, u32 *frame) { (void)pc, (void)frame; return sp[-1]; }
static handler *const handlers[OPS] = {op_push, op_add,   op_sub,     op_mul,  op_dup, op_swap,
                                       op_load, op_store, op_jump_nz, op_call, op_ret, op_halt};

/* Variable 0 is the counter, 1 the sum: sum = sum * 3 + cube(counter), counter from 60 down to 1. */
enum { LOOP = 8, CUBE = 34 };
static const u8 cubes[] = {
    PUSH, 60, STORE, 0, PUSH, 1, STORE, 1,
    /* LOOP */ LOAD, 1, PUSH, 3, MUL, LOAD, 0, CALL, CUBE, SWAP, ADD, STORE, 1,
    LOAD, 0, PUSH, 1, SUB, DUP, STORE, 0, JUMP_NZ, LOOP, LOAD, 1, HALT,
    /* CUBE */ DUP, DUP, MUL, MUL, RET,
};

static NOINLINE u32 run(const u8 *code) {
    u32 stack[16], frames[8];
    code_start = code;
    return handlers[code[0]](code + 1, stack, frames);
}

/* The state machine: each state returns the next one. It counts words, numbers and lines. */
struct state { struct state (*step)(char c, u32 *counts); };
static struct state between(char c, u32 *counts);
static struct state in_word(char c, u32 *counts) {
    if (c == ' ' || c == '\n') return between(c, counts);
    return (struct state){in_word};
}
static struct state in_number(char c, u32 *counts) {
    if (c < '0' || c > '9') return between(c, counts);
    counts[3] = counts[3] * 10 + (u32)(c - '0');
    return (struct state){in_number};
}
static NOINLINE struct state between(char c, u32 *counts) {
    if (c == '\n') counts[2]++;
    if (c == ' ' || c == '\n') return (struct state){between};
    if (c >= '0' && c <= '9') return counts[1]++, in_number(c, counts);
    return counts[0]++, (struct state){in_word};
}
static const char text[] = "the quick brown fox jumps\nover 13 lazy dogs\nwhile 4 calling birds 271828 times\n"
                           "sing the 2nd song of 99 bottles\n";

/* Objects with method tables. `scaled` hands on by a tail call, so its calls leave no frame behind. */
struct shape;
struct methods { u32 (*area)(const struct shape *), (*grow)(struct shape *, u32); };
struct shape { const struct methods *methods; u32 a, b; struct shape *inner; };
static u32 rect_area(const struct shape *s) { return s->a * s->b; }
static u32 rect_grow(struct shape *s, u32 by) { s->a += by; s->b += 1; return s->methods->area(s); }
static u32 square_area(const struct shape *s) { return s->a * s->a; }
static u32 square_grow(struct shape *s, u32 by) { s->a += by >> 1; return s->methods->area(s); }
static u32 scaled_area(const struct shape *s) { return s->inner->methods->area(s->inner); }
static u32 scaled_grow(struct shape *s, u32 by) { return s->inner->methods->grow(s->inner, by * s->b); }
static const struct methods rect = {rect_area, rect_grow}, square = {square_area, square_grow},
                            scaled = {scaled_area, scaled_grow};
static struct shape shapes[] = {
    {&rect, 3, 4, 0}, {&square, 5, 0, 0}, {&scaled, 0, 2, &shapes[0]}, {&scaled, 0, 3, &shapes[1]},
};

/* dispatch.S: adds up what its generator hands over (the squares of 1 to n), one swap of co-routines each way. */
u32 sum_generated(u32 n);
/* dispatch.S: the number of bits set, by a millicode linked through t1 and t2 instead of ra and t0. */
u32 count_bits(u32 value);

u32 program(void) {
    u32 h = mix(MIX_SEED, run(cubes));
    u32 counts[4] = {0, 0, 0, 0};
    for (int repeat = 0; repeat < 3; repeat++) {
        struct state state = {between};
        for (const char *c = text; *c; c++)
            state = state.step(*c, counts);
    }
    for (u32 i = 0; i < 4; i++)
        h = mix(h, counts[i]);
    for (u32 i = 0; i < 400; i++) {
        struct shape *s = &shapes[i * 7 % COUNT(shapes)];
        h = mix(h, i & 1 ? s->methods->grow(s, i) : s->methods->area(s));
    }
    h = mix(h, sum_generated(200));
    for (u32 i = 0; i < 60; i++)
        h = mix(h, count_bits(h));
    return h;
}
