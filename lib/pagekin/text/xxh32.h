/* The hash of a term, as term_hash of pagekin.text.words has it: XXH32 with seed 0, as Yann Collet's
specification of xxHash tells it. */

#ifndef PAGEKIN_XXH32_H
#define PAGEKIN_XXH32_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define P1 2654435761u
#define P2 2246822519u
#define P3 3266489917u
#define P4 668265263u
#define P5 374761393u

enum { FIRST_HASH = 16 };

static inline uint32_t turned(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

static inline uint32_t word_at(const uint8_t *s)
{
    uint32_t word;
    memcpy(&word, s, 4); /* little-endian */
    return word;
}

static uint32_t xxh32(const uint8_t *s, size_t size)
{
    uint32_t hash = P5, lane[4] = {P1 + P2, P2, 0, 0 - P1};
    size_t left = size;
    for (; left >= 16; s += 16, left -= 16)
        for (int k = 0; k < 4; k++)
            lane[k] = turned(lane[k] + word_at(s + 4 * k) * P2, 13) * P1;
    if (size >= 16)
        hash = turned(lane[0], 1) + turned(lane[1], 7) + turned(lane[2], 12) + turned(lane[3], 18);
    hash += (uint32_t)size;
    for (; left >= 4; s += 4, left -= 4)
        hash = turned(hash + word_at(s) * P3, 17) * P4;
    for (; left; s++, left--)
        hash = turned(hash + *s * P5, 11) * P1;
    hash = (hash ^ hash >> 15) * P2;
    hash = (hash ^ hash >> 13) * P3;
    return hash ^ hash >> 16;
}

/* The numbers below are free. */
static uint32_t term_hash(const uint8_t *term, size_t size)
{
    uint32_t hash = xxh32(term, size);
    return hash < FIRST_HASH ? hash + FIRST_HASH : hash;
}

#endif
