/* libc_random.c - Accesses the state of random(). initstate() stores the
 * position in the old state's memory and returns its address; its first word
 * contains its size, in a form that depends on the C library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__)
#define _DARWIN_C_SOURCE
#define _BSD_SOURCE
#define __BSD_VISIBLE 1
#define _NETBSD_SOURCE
#endif
#include "libc_random.h"

#include <stdlib.h>
#include <string.h>

/* glibc uses the form of BSD: the kind of the polynomial plus five times the
 * position. musl: the degree in the upper half, then two positions. (OpenBSD
 * uses another generator.) */
#if defined(__GLIBC__)
#define RANDOM_FORM "glibc"
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__)
#define RANDOM_FORM "bsd"
#elif defined(__linux__) && !defined(__ANDROID__) && !defined(__UCLIBC__)
#define RANDOM_FORM "musl"
#define IS_MUSL 1
#else
#define RANDOM_FORM NULL
#endif

enum { DRAND48_WORDS = 2 };

const char *vv_libc_random_form(enum vv_libc_generator which)
{
    switch (which) {
    case VV_LIBC_DRAND48: return "drand48";
    case VV_LIBC_RANDOM: return RANDOM_FORM;
    default: break;
    }
#ifdef __GLIBC__
    return RANDOM_FORM; /* rand() is random() in glibc, and nowhere else */
#else
    return NULL;
#endif
}

/* Returns the number of words of a state with this first word, or 0 if it is
 * invalid. */
static size_t words_of(uint32_t first)
{
#ifdef IS_MUSL
    uint32_t degree = first >> 16, i = first >> 8 & 0xff, j = first & 0xff;
    if (degree == 0)
        return 2;
    bool is_one = degree == 7 || degree == 15 || degree == 31 || degree == 63;
    return is_one && i < degree && j < degree ? degree + 1 : 0;
#else
    static const uint8_t degrees[] = { 0, 7, 15, 31, 63 };
    uint32_t degree = degrees[first % 5], place = first / 5;
    if (degree == 0)
        return place == 0 ? 2 : 0;
    return place < degree ? degree + 1 : 0;
#endif
}

/* Installs another state and returns the address of the previous one. */
static uint32_t *take_away(uint32_t *other)
{
    union {
        char *bytes;
        uint32_t *words;
    } at = { .words = other };
    at.bytes = initstate(1, at.bytes, 2 * sizeof *other);
    return at.words;
}

static void libc_random_put_back(uint32_t *state)
{
    union {
        uint32_t *words;
        char *bytes;
    } at = { .words = state };
    setstate(at.bytes);
}

static size_t get_drand48(uint32_t *words)
{
    unsigned short any[3] = { 0 }, now[3];
    memcpy(now, seed48(any), sizeof now);
    seed48(now);
    words[0] = now[0] | (uint32_t)now[1] << 16;
    words[1] = now[2];
    return DRAND48_WORDS;
}

static bool set_drand48(const uint32_t *words, size_t count)
{
    if (count != DRAND48_WORDS || words[1] > UINT16_MAX)
        return false;
    unsigned short then[3] = { (unsigned short)(words[0] & 0xffff),
        (unsigned short)(words[0] >> 16), (unsigned short)words[1] };
    seed48(then);
    return true;
}

size_t vv_libc_random_get(
    enum vv_libc_generator which, uint32_t words[VV_LIBC_MOST_WORDS])
{
    uint32_t spare[2];
    if (which == VV_LIBC_DRAND48)
        return get_drand48(words);
    uint32_t *state = take_away(spare);
    size_t count = words_of(state[0]);
    memcpy(words, state, count * sizeof *words);
    libc_random_put_back(state);
    return count;
}

bool vv_libc_random_set(
    enum vv_libc_generator which, const uint32_t *words, size_t count)
{
    uint32_t spare[2];
    if (which == VV_LIBC_DRAND48)
        return set_drand48(words, count);
    uint32_t *state = take_away(spare);
    bool fits =
        count > 0 && words_of(words[0]) == count && words_of(state[0]) == count;
    if (fits)
        memcpy(state, words, count * sizeof *words);
    libc_random_put_back(state);
    return fits;
}
