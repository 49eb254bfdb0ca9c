/* crc: tight loops over bytes. CRC-32 bit by bit and by table, CRC-16/CCITT, Adler-32, and the string functions every
   libc has, written out here so that no library's version decides what is recorded. */
#include "program.h"

static u32 table[256];
static char buffer[320], copy[320];

static NOINLINE u32 length(const char *s) {
    const char *end = s;
    while (*end) end++;
    return (u32)(end - s);
}

static NOINLINE void copy_bytes(char *to, const char *from, u32 n) {
    while (n--) *to++ = *from++;
}

/* A register at a time where both ends are aligned, as a real memcpy does. */
static NOINLINE void copy_words(char *to, const char *from, u32 n) {
    typedef uptr __attribute__((may_alias)) word;
    if ((((uptr)to | (uptr)from) & (sizeof(uptr) - 1)) == 0)
        for (; n >= sizeof(uptr); n -= sizeof(uptr), to += sizeof(uptr), from += sizeof(uptr))
            *(word *)to = *(const word *)from;
    copy_bytes(to, from, n);
}

static NOINLINE int compare(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (u8)*a - (u8)*b;
}

static NOINLINE u32 find(const char *text, const char *word) {
    for (u32 at = 0; text[at]; at++) {
        u32 i = 0;
        while (word[i] && text[at + i] == word[i]) i++;
        if (!word[i]) return at;
    }
    return ~0u;
}

static NOINLINE void reverse(char *s, u32 n) {
    for (u32 i = 0; i < n / 2; i++) {
        char t = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = t;
    }
}

static NOINLINE u32 crc32_bits(const char *s, u32 n) {
    u32 crc = ~0u;
    while (n--) {
        crc ^= (u8)*s++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static NOINLINE void make_table(void) {
    for (u32 i = 0; i < 256; i++) {
        u32 crc = i;
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
        table[i] = crc;
    }
}

static NOINLINE u32 crc32_table(const char *s, u32 n) {
    u32 crc = ~0u;
    while (n--) crc = crc >> 8 ^ table[(crc ^ (u8)*s++) & 255];
    return ~crc;
}

static NOINLINE u32 crc16_ccitt(const char *s, u32 n) {
    u32 crc = 0;
    while (n--) {
        crc ^= (u32)(u8)*s++ << 8;
        for (int k = 0; k < 8; k++)
            crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
    return crc;
}

static NOINLINE u32 adler32(const char *s, u32 n) {
    u32 a = 1, b = 0;
    while (n--) {
        a = (a + (u8)*s++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static const char text[] =
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, "
    "must be in want of a wife. However little known the feelings or views of such a man may be...";
static const char *const words[] = {"truth", "wife", "a man", "view", "absent", "I"};

u32 program(void) {
    u32 h = MIX_SEED, n = length(text);
    copy_words(buffer, text, n + 1);
    copy_words(copy + 3, buffer, n + 1);
    h = mix(h, n);
    h = mix(h, (u32)compare(buffer, copy + 3));
    h = mix(h, crc32_bits(buffer, 96));
    make_table();
    h = mix(h, crc32_table(copy + 3, n));
    h = mix(h, crc16_ccitt(buffer, 64));
    reverse(copy + 3, n);
    h = mix(h, adler32(copy + 3, n));
    h = mix(h, (u32)compare(buffer, copy + 3));
    for (u32 i = 0; i < COUNT(words); i++)
        h = mix(mix(h, find(text, words[i])), length(words[i]));
    for (u32 i = 0; i < 8; i++) {
        copy_bytes(copy + i, buffer + 2 * i, 40);
        h = mix(h, crc32_table(copy, n));
    }
    return h;
}
