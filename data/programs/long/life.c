/* A long run: Conway's game of life on a torus, a sieve, a matrix product, edit distances. For checks that need a quarter of a million instructions. */
#include "program.h"

#define HEIGHT 20
#define WIDTH 32
#define PRIMES 2400
#define SIDE 14
#define LONGEST 16

static u8 board[2][HEIGHT][WIDTH];
static u8 composite[PRIMES];
static u32 left[SIDE][SIDE], right[SIDE][SIDE];

static NOINLINE u32 neighbours(u8 (*cells)[WIDTH], u32 y, u32 x) {
    u32 above = y ? y - 1 : HEIGHT - 1, below = y + 1 < HEIGHT ? y + 1 : 0;
    u32 before = x ? x - 1 : WIDTH - 1, behind = x + 1 < WIDTH ? x + 1 : 0;
    return cells[above][before] + cells[above][x] + cells[above][behind] + cells[y][before] + cells[y][behind] +
           cells[below][before] + cells[below][x] + cells[below][behind];
}

static NOINLINE u32 generation(u8 (*old)[WIDTH], u8 (*young)[WIDTH]) {
    u32 alive = 0;
    for (u32 y = 0; y < HEIGHT; y++)
        for (u32 x = 0; x < WIDTH; x++) {
            u32 n = neighbours(old, y, x);
            young[y][x] = n == 3 || (n == 2 && old[y][x]);
            alive += young[y][x];
        }
    return alive;
}

static NOINLINE u32 sieve(u32 h) {
    for (u32 n = 2; n < PRIMES; n++) {
        if (composite[n]) continue;
        h = mix(h, n);
        for (u32 k = n * n; k < PRIMES; k += n) composite[k] = 1;
    }
    return h;
}

static NOINLINE u32 product(u32 h) {
    for (u32 i = 0; i < SIDE; i++)
        for (u32 j = 0; j < SIDE; j++) {
            u32 sum = 0;
            for (u32 k = 0; k < SIDE; k++) sum += left[i][k] * right[k][j];
            h = mix(h, sum);
        }
    return h;
}

static NOINLINE u32 distance(const char *a, const char *b) {
    u8 row[LONGEST + 1];
    u32 width = 0;
    while (b[width]) width++;
    for (u32 j = 0; j <= width; j++) row[j] = (u8)j;
    for (u32 i = 0; a[i]; i++) {
        u8 corner = row[0]++;
        for (u32 j = 0; j < width; j++) {
            u8 best = (u8)(corner + (a[i] != b[j]));
            corner = row[j + 1];
            if (corner + 1 < best) best = (u8)(corner + 1);
            if (row[j] + 1 < best) best = (u8)(row[j] + 1);
            row[j + 1] = best;
        }
    }
    return row[width];
}

static const char *const words[] = {"retirement", "instruction", "privilege", "timestamp", "correlation", "implicit", "return", "history"};

u32 program(void) {
    u32 h = MIX_SEED, state = 7;
    for (u32 y = 0; y < HEIGHT; y++)
        for (u32 x = 0; x < WIDTH; x++) board[0][y][x] = next_random(&state) % 3 == 0;
    for (u32 turn = 0; turn < 4; turn++) h = mix(h, generation(board[turn & 1], board[~turn & 1]));
    h = sieve(h);
    for (u32 i = 0; i < SIDE; i++)
        for (u32 j = 0; j < SIDE; j++) {
            left[i][j] = next_random(&state);
            right[i][j] = next_random(&state);
        }
    h = product(h);
    for (u32 i = 0; i < COUNT(words); i++)
        for (u32 j = 0; j < i; j++) h = mix(h, distance(words[i], words[j]));
    return h;
}
