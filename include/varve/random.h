/* random.h - streams of random numbers that a checkpoint resumes exactly.
 *
 * A stream is a struct in the program's memory. Its numbers are a function of
 * its key and of how many words were drawn, and of nothing else: not of the
 * machine, nor of what other streams do. Both are variables of the graph.
 *
 *     varve_random dropout;
 *     varve_set_seed(graph, 42);
 *     varve_add_random(model, "dropout", &dropout, 0);
 *     double x = varve_random_unit(&dropout);
 *
 * A word is 64 bits. Word i (from 0) of a key is word i % 4 of Philox4x64-10
 * with this key at the counter { i / 4 + 1, 0, 0, 0 }: so the words are those
 * of numpy.random.Philox(key=[key[0], key[1]]). Not for secrets.
 *
 * A stream belongs to one thread at a time; give each thread its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RANDOM_H
#define VARVE_RANDOM_H

#include <varve/graph.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* A stream: `key` and `position` are all that it is. */
typedef struct varve_random {
    uint64_t key[2];
    uint64_t position; /* words drawn so far */
    /* The words that were made last, and what they were made from: they only
     * save time. All zero: none. */
    uint64_t made[4];
    uint64_t made_key[2];
    uint64_t made_counter;
} varve_random;

/* --- Where streams come from -------------------------------------------- */

/* A stream at position 0 whose key is the XXH3-128 of 24 bytes: 8 of `seed`,
 * least significant first, then the XXH3-128 of `path` as it is printed. key[0]
 * is the lower half of the hash, key[1] the upper one. Needs no graph.
 *
 * Streams of one seed and path draw the same numbers. A stream that is in a
 * graph begins anew by this call, resumed or not: so seed first, and add it
 * with varve_add_seeded_random. */
VARVE_API void varve_random_seed(
    varve_random *stream, uint64_t seed, const char *path);

/* Derives a stream and adds it as an object `name`, tagged VARVE_TAG_RANDOM,
 * with the variables "key" (uint64[2]) and "position" (uint64[]), which view
 * the struct; it must stay where it is as they must. What a restoration holds
 * for them arrives here. Adding a stream shifts no other.
 *
 * The derived stream is that of varve_random_seed for the graph's seed
 * (varve_set_seed) and the path of the new node from the graph's root, along
 * the first edge that led to each node, escaped as in varve_find_path. Where
 * `seed` is not 0, its 8 bytes follow those of the graph's seed: so two streams
 * that are made at one path one after the other can differ. As the key is
 * saved, a stream stays the same when its object is renamed.
 *
 * A parent that no path leads to from the root yet is a mistake
 * (VARVE_MISUSE): its streams would be those of every other such parent. */
VARVE_API varve_node *varve_add_random(
    varve_node *parent, const char *name, varve_random *stream, uint64_t seed);

/* Adds a stream as it stands, with the key and position that it has from
 * varve_random_seed, varve_random_split or the program, instead of a derived
 * one; detached or not. What a restoration holds for it arrives here and takes
 * their place, so two streams that were seeded alike are alike after a resume
 * too, and go on:
 *
 *     varve_random_seed(&a, 42, "");
 *     varve_random_seed(&b, 42, "");
 *     varve_add_seeded_random(model, "a", &a);
 *     varve_add_seeded_random(model, "b", &b); */
VARVE_API varve_node *varve_add_seeded_random(
    varve_node *parent, const char *name, varve_random *stream);

/* A further stream, the same for the same name whatever was drawn or split
 * before: its key is made as by varve_random_seed, of the 16 bytes of the
 * parent's key instead of a seed, key[0] first. Draws nothing. For ranks,
 * workers, items: varve_random_split(&r, "rank/3"). */
VARVE_API varve_random varve_random_split(
    const varve_random *stream, const char *name);

/* As if so many words had been drawn, in constant time. */
VARVE_API void varve_random_skip(varve_random *stream, uint64_t words);

/* --- Single draws: one word each, but for varve_random_below ------------- */

/* The word as it is. */
VARVE_API uint64_t varve_random_u64(varve_random *stream);

/* In [0, 1): the word's upper 53 bits times 2^-53, as numpy's random(). */
VARVE_API double varve_random_unit(varve_random *stream);

/* In [low, high) where low < high; low + (high - low) * unit. */
VARVE_API double varve_random_uniform(
    varve_random *stream, double low, double high);

/* By the inverse of the distribution function, of which M. J. Wichura, "The
 * percentage points of the normal distribution", Applied Statistics 37 (1988),
 * AS 241, gives 16 digits; at (w + 1/2) 2^-52 with w the word's upper 52 bits.
 * The largest possible is 8.2 standard deviations from the mean. */
VARVE_API double varve_random_normal(
    varve_random *stream, double mean, double deviation);

/* A normal one given that it is within two deviations of the mean. */
VARVE_API double varve_random_truncated_normal(
    varve_random *stream, double mean, double deviation);

/* A whole number in [0, limit), each as likely: the upper half of word * limit,
 * drawn again while the lower half is below 2^64 mod limit (D. Lemire, "Fast
 * random integer generation in an interval", 2019). Nearly always one word. A
 * limit of 0 draws nothing and gives 0. */
VARVE_API uint64_t varve_random_below(varve_random *stream, uint64_t limit);

/* --- Many at once: the numbers of as many single draws ------------------- */

/* What `count` calls of the single draw of that name give, one after the other;
 * the stream is then where they would have left it. */
VARVE_API void varve_random_fill_u64(
    varve_random *stream, uint64_t *out, size_t count);
VARVE_API void varve_random_fill_unit(
    varve_random *stream, double *out, size_t count);
VARVE_API void varve_random_fill_uniform(
    varve_random *stream, double *out, size_t count, double low, double high);
VARVE_API void varve_random_fill_normal(varve_random *stream, double *out,
    size_t count, double mean, double deviation);
VARVE_API void varve_random_fill_truncated_normal(varve_random *stream,
    double *out, size_t count, double mean, double deviation);

/* The same numbers rounded to float; a uniform one that would round to `high`
 * or above is (float)low instead. */
VARVE_API void varve_random_fill_uniform_float32(
    varve_random *stream, float *out, size_t count, double low, double high);
VARVE_API void varve_random_fill_normal_float32(varve_random *stream,
    float *out, size_t count, double mean, double deviation);
VARVE_API void varve_random_fill_truncated_normal_float32(varve_random *stream,
    float *out, size_t count, double mean, double deviation);

/* Puts `count` elements of `size` bytes in random order, each order as likely
 * (Fisher and Yates, from the end: element i changes places with one below
 * i + 1). */
VARVE_API void varve_random_shuffle(
    varve_random *stream, void *elements, size_t count, size_t size);

/* The numbers below `count` in the order that varve_random_shuffle gives
 * them. */
VARVE_API void varve_random_permutation(
    varve_random *stream, size_t *out, size_t count);

/* --- Generators of the C library ---------------------------------------- */

typedef enum varve_libc_generator {
    VARVE_LIBC_RAND = 0,   /* rand: in glibc alone */
    VARVE_LIBC_RANDOM = 1, /* random: glibc, musl, macOS, FreeBSD, NetBSD */
    VARVE_LIBC_DRAND48 = 2 /* drand48, lrand48, mrand48 */
} varve_libc_generator;

/* Adds a generator that the process has one of as a state `name`, tagged
 * VARVE_TAG_RANDOM, which is taken and given back by initstate, setstate and
 * seed48: its numbers go on where they were, however it was seeded. Adding it
 * changes nothing. Nobody may draw from it while a call takes or restores
 * values.
 *
 * A file of another C library, or of a state of another size, does not fit
 * (VARVE_CALLBACK); one of drand48 fits everywhere. A mistake, VARVE_TOO_NEW,
 * where this C library keeps the state to itself, as most do that of rand. */
VARVE_API varve_node *varve_add_libc_random(
    varve_node *parent, const char *name, varve_libc_generator which);

VARVE_END_DECLS

#endif
