/* recursion: deep and wide call trees, for return stacks and their overflow. Compiled with -Os -msave-restore, so that
   prologues call a millicode through t0 and epilogues jump to one that returns for them. */
#include "program.h"

static NOINLINE u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static NOINLINE u32 ackermann(u32 m, u32 n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

/* Mutual recursion; the work after the call keeps every frame on the stack. */
static u32 odd_steps(u32 n, u32 *weight);
static NOINLINE u32 even_steps(u32 n, u32 *weight) {
    if (n == 0) return 1;
    u32 r = odd_steps(n - 1, weight);
    *weight += n;
    return r;
}
static NOINLINE u32 odd_steps(u32 n, u32 *weight) {
    if (n == 0) return 0;
    u32 r = even_steps(n - 1, weight);
    *weight ^= n << 4;
    return r;
}

static u32 hanoi_hash;
static NOINLINE void hanoi(u32 n, u32 from, u32 to, u32 via) {
    if (n == 0) return;
    hanoi(n - 1, from, via, to);
    hanoi_hash = mix(hanoi_hash, n << 8 | from << 4 | to);
    hanoi(n - 1, via, to, from);
}

struct node {
    struct node *left, *right;
    u32 key;
};
static struct node nodes[64];

static NOINLINE struct node *insert(struct node *tree, struct node *leaf) {
    if (!tree) return leaf;
    if (leaf->key < tree->key) tree->left = insert(tree->left, leaf);
    else tree->right = insert(tree->right, leaf);
    return tree;
}

static NOINLINE u32 in_order(const struct node *tree, u32 h) {
    if (!tree) return h;
    return in_order(tree->right, mix(in_order(tree->left, h), tree->key));
}

static NOINLINE u32 queens(u32 row, u32 columns, u32 left, u32 right) {
    if (row == 6) return 1;
    u32 found = 0;
    for (u32 bit = 1; bit < 64; bit <<= 1)
        if (!(bit & (columns | left | right)))
            found += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    return found;
}

u32 program(void) {
    u32 h = MIX_SEED, state = 7, weight = 0;
    h = mix(h, fib(13));
    h = mix(h, ackermann(2, 5));
    h = mix(h, even_steps(120, &weight));
    h = mix(h, weight);
    hanoi(7, 1, 3, 2);
    h = mix(h, hanoi_hash);
    struct node *tree = 0;
    for (u32 i = 0; i < COUNT(nodes); i++) {
        nodes[i].key = next_random(&state);
        tree = insert(tree, &nodes[i]);
    }
    h = in_order(tree, h);
    return mix(h, queens(0, 0, 0, 0));
}
