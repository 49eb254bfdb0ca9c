/* switch: jump tables (dense cases) next to trees of compares (sparse ones): a desk calculator in reverse Polish
   notation, a decoder of error numbers, calendar dates, and Duff's device. */
#include "program.h"

/* Dense: characters ' ' to '~', one jump table. */
static NOINLINE u32 calculate(const char *line) {
    u32 stack[12], number = 0, memory = 0;
    int depth = 0, digits = 0;
    for (;; line++) {
        char c = *line;
        if (digits && (c < '0' || c > '9')) {
            stack[depth++] = number;
            number = 0;
            digits = 0;
        }
        switch (c) {
        case '0': case '1': case '2': case '3': case '4':
        case '5': case '6': case '7': case '8': case '9':
            number = number * 10 + (u32)(c - '0');
            digits = 1;
            break;
        case '+': depth--; stack[depth - 1] += stack[depth]; break;
        case '-': depth--; stack[depth - 1] -= stack[depth]; break;
        case '*': depth--; stack[depth - 1] *= stack[depth]; break;
        case '/': depth--; stack[depth - 1] /= stack[depth]; break;
        case '%': depth--; stack[depth - 1] %= stack[depth]; break;
        case '&': depth--; stack[depth - 1] &= stack[depth]; break;
        case '|': depth--; stack[depth - 1] |= stack[depth]; break;
        case '^': depth--; stack[depth - 1] ^= stack[depth]; break;
        case '<': stack[depth - 1] <<= 1; break;
        case '>': stack[depth - 1] >>= 1; break;
        case '~': stack[depth - 1] = ~stack[depth - 1]; break;
        case '!': stack[depth - 1] = !stack[depth - 1]; break;
        case '=': memory = stack[--depth]; break;
        case '?': stack[depth++] = memory; break;
        case ',': stack[depth] = stack[depth - 1]; depth++; break;
        case '.': return stack[depth - 1];
        default: break;
        }
    }
}

static const char *const lines[] = {
    "1 2 + 3 * 4 - 5 ^.", "65535 , * 97 % 13 | 255 &.", "123456789 ~ > > 1000 / 7 % , *.",
    "12 = ? ? * ? + < <.", "0 ! 1 + 2 ! + 4096 4095 - ! +.", "99 98 97 96 95 + - + -  777 777 * +.",
};

/* Sparse: cases far apart, so compares instead of a table. */
static NOINLINE u32 severity(u32 code) {
    switch (code) {
    case 3: return 1;
    case 17: return 4;
    case 100: return 2;
    case 404: return 7;
    case 1000: return 3;
    case 5005: return 9;
    case 40000: return 5;
    case 0x123456: return 8;
    case 0x7fffffff: return 6;
    default: return code < 50 ? 10 : 11;
    }
}

static const u32 codes[] = {3, 17, 100, 404, 1000, 5005, 40000, 0x123456, 0x7fffffff, 0, 49, 51, 0xffffffff};

/* Dense and nested: the day of the year, with leap years; falls through from month to month. */
static NOINLINE u32 day_of_year(u32 day, u32 month, u32 year) {
    u32 days = day;
    switch (month - 1) {
    case 11: days += 30; /* fall through */
    case 10: days += 31; /* fall through */
    case 9: days += 30; /* fall through */
    case 8: days += 31; /* fall through */
    case 7: days += 31; /* fall through */
    case 6: days += 30; /* fall through */
    case 5: days += 31; /* fall through */
    case 4: days += 30; /* fall through */
    case 3: days += 31; /* fall through */
    case 2:
        switch (year % 4 ? 1 : year % 100 ? 0 : year % 400 ? 1 : 0) {
        case 0: days += 1; /* fall through */
        default: days += 28;
        } /* fall through */
    case 1: days += 31; break;
    default: break;
    }
    return days;
}

/* Duff's device: a jump into the middle of a loop. */
static NOINLINE u32 duff_sum(const u32 *from, u32 count) {
    u32 sum = 0, rounds = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { sum += *from++; /* fall through */
    case 7: sum ^= *from++; /* fall through */
    case 6: sum += *from++; /* fall through */
    case 5: sum ^= *from++; /* fall through */
    case 4: sum += *from++; /* fall through */
    case 3: sum ^= *from++; /* fall through */
    case 2: sum += *from++; /* fall through */
    case 1: sum ^= *from++;
            } while (--rounds > 0);
    }
    return sum;
}

u32 program(void) {
    static u32 data[40];
    u32 h = MIX_SEED, state = 3;
    for (int repeat = 0; repeat < 6; repeat++)
        for (u32 i = 0; i < COUNT(lines); i++)
            h = mix(h, calculate(lines[i]));
    for (u32 i = 0; i < 250; i++)
        h = mix(h, severity(codes[next_random(&state) % COUNT(codes)]));
    for (u32 i = 0; i < 250; i++) {
        u32 r = next_random(&state);
        h = mix(h, day_of_year(1 + r % 28, 1 + (r >> 5) % 12, 1896 + (r >> 9) % 240));
    }
    for (u32 i = 0; i < COUNT(data); i++)
        data[i] = next_random(&state);
    for (u32 count = 1; count <= COUNT(data); count++)
        h = mix(h, duff_sum(data, count));
    return h;
}
