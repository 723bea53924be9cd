/* The numbers of fragments as text, as pagekin.bags.fragments says. */

#ifndef PAGEKIN_NUMBERS_H
#define PAGEKIN_NUMBERS_H

#include <stdint.h>

enum { WIDTH = 5, BITS = 7, KIND_SHIFT = 32, SIDE_SHIFT = 16, LINK = 1 };

static inline uint64_t number_at(const uint8_t *at)
{
    return (uint64_t)(at[0] & 0x7F) << 4 * BITS | (uint64_t)(at[1] & 0x7F) << 3 * BITS |
           (uint64_t)(at[2] & 0x7F) << 2 * BITS | (uint64_t)(at[3] & 0x7F) << BITS | (at[4] & 0x7F);
}

static inline void put_number(uint8_t *to, uint64_t number)
{
    for (int k = WIDTH - 1; k >= 0; k--, number >>= BITS)
        to[k] = (uint8_t)(number | 0x80);
}

#endif
