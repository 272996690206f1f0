/* random.h - Streams of random numbers that a checkpoint resumes exactly.
 *
 *     varve_random dropout;
 *     varve_set_seed(graph, 42);
 *     varve_add_random(model, "dropout", &dropout, 0);
 *     double x = varve_random_unit(&dropout);
 *
 * A stream is a struct in the program's memory. Its numbers depend only on its
 * key and on its position, the number of words that were drawn. They do not
 * depend on the machine or on other streams. Key and position are variables of
 * the graph.
 *
 * A word has 64 bits. Word i (from 0) of a key is word i % 4 of Philox4x64-10
 * with this key and the counter { i / 4 + 1, 0, 0, 0 }. The words are therefore
 * those of numpy.random.Philox(key=[key[0], key[1]]). The generator is not
 * suitable for cryptography.
 *
 * Threads: only one thread at a time may use a stream. Give each thread a
 * stream of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RANDOM_H
#define VARVE_RANDOM_H

#include <varve/graph.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* A stream of random numbers. `key` and `position` determine all its
 * numbers. */
typedef struct varve_random {
    uint64_t key[2];
    uint64_t position; /* number of words drawn */
    /* A cache of the latest words, with the key and counter from which they
     * were computed. All zero: empty. */
    uint64_t made[4];
    uint64_t made_key[2];
    uint64_t made_counter;
} varve_random;

/* --- Creating streams --------------------------------------------------- */

/* Initializes a stream at position 0 with a key that is derived from `seed` and
 * `path`.
 *
 * The key is the XXH3-128 of 24 bytes: the 8 bytes of `seed`, least significant
 * first, then the XXH3-128 of `path` in canonical form. key[0] is the lower
 * half of the hash, key[1] the upper half. The call needs no graph.
 *
 * Streams with the same seed and path have the same numbers.
 *
 * If the stream is already in a graph, this call restarts it, even after a
 * resume. Call it first, and then add the stream with
 * varve_add_seeded_random. */
VARVE_API void varve_random_seed(
    varve_random *stream, uint64_t seed, const char *path);

/* Initializes a stream and adds it to the graph as an object `name`.
 *
 * The object has the tag VARVE_TAG_RANDOM and the variables "key" (uint64[2])
 * and "position" (uint64[]), which view the struct. The struct must stay valid
 * at its address, as for varve_add_variable. If a restoration holds pending
 * values for the stream, the call restores them.
 *
 * The key is derived as by varve_random_seed from the seed of the graph
 * (varve_set_seed) and the path of the new node from the root of the graph. The
 * path follows the first edge that led to each node and is escaped as in
 * varve_find_path. If `seed` is not 0, its 8 bytes follow those of the graph's
 * seed, so that two streams that are created at the same path one after the
 * other can differ.
 *
 * Adding a stream does not change the numbers of other streams. Because the key
 * is saved, a stream keeps its numbers when its object is renamed.
 *
 * - Records VARVE_MISUSE if no path leads from the root to `parent`: all such
 *   parents would get the same streams. */
VARVE_API varve_node *varve_add_random(
    varve_node *parent, const char *name, varve_random *stream, uint64_t seed);

/* Adds a stream to the graph with its current key and position.
 *
 *     varve_random_seed(&a, 42, "");
 *     varve_random_seed(&b, 42, "");
 *     varve_add_seeded_random(model, "a", &a);
 *     varve_add_seeded_random(model, "b", &b);
 *
 * The key is that from varve_random_seed, varve_random_split or the program.
 * `parent` may be detached. If a restoration holds pending values for the
 * stream, they replace key and position. Two streams with the same seed are
 * therefore still equal after a resume. */
VARVE_API varve_node *varve_add_seeded_random(
    varve_node *parent, const char *name, varve_random *stream);

/* Returns a new stream that is derived from another stream and a name, for
 * example for a rank, worker or item.
 *
 *     varve_random own = varve_random_split(&shared, "rank/3");
 *
 * The key is derived as by varve_random_seed, with the 16 bytes of the key of
 * `stream`, key[0] first, instead of the seed. The result depends only on this
 * key and the name. The call does not draw from `stream`. */
VARVE_API varve_random varve_random_split(
    const varve_random *stream, const char *name);

/* Advances a stream by `words` words, in constant time. */
VARVE_API void varve_random_skip(varve_random *stream, uint64_t words);

/* --- Single numbers: one word each, except varve_random_below ----------- */

/* Returns the next word. */
VARVE_API uint64_t varve_random_u64(varve_random *stream);

/* Returns a number in [0, 1): the upper 53 bits of the word times 2^-53, as
 * numpy's random(). */
VARVE_API double varve_random_unit(varve_random *stream);

/* Returns a number in [low, high), where low < high: low + (high - low) *
 * unit. */
VARVE_API double varve_random_uniform(
    varve_random *stream, double low, double high);

/* Returns a normally distributed number.
 *
 * The number is the inverse of the distribution function at (w + 1/2) 2^-52,
 * where w is the upper 52 bits of the word. It is computed to 16 digits by
 * algorithm AS 241 (M. J. Wichura, "The percentage points of the normal
 * distribution", Applied Statistics 37, 1988). The largest possible result is
 * 8.2 standard deviations from the mean. */
VARVE_API double varve_random_normal(
    varve_random *stream, double mean, double deviation);

/* Returns a normally distributed number that is within two standard deviations
 * of the mean. */
VARVE_API double varve_random_truncated_normal(
    varve_random *stream, double mean, double deviation);

/* Returns an integer in [0, limit), each with the same probability.
 *
 * The result is the upper half of word * limit. A new word is drawn while the
 * lower half is below 2^64 mod limit (D. Lemire, "Fast random integer
 * generation in an interval", 2019), so the call nearly always draws one word.
 * With a limit of 0 it draws none and returns 0. */
VARVE_API uint64_t varve_random_below(varve_random *stream, uint64_t limit);

/* --- Arrays of numbers -------------------------------------------------- */

/* Write `count` numbers to `out`, the same as `count` calls of the function for
 * a single number.
 *
 * The position of the stream afterwards is also the same. */
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

/* Write `count` numbers rounded to float, otherwise like the functions above. A
 * uniform number that would round to `high` or above is (float)low instead. */
VARVE_API void varve_random_fill_uniform_float32(
    varve_random *stream, float *out, size_t count, double low, double high);
VARVE_API void varve_random_fill_normal_float32(varve_random *stream,
    float *out, size_t count, double mean, double deviation);
VARVE_API void varve_random_fill_truncated_normal_float32(varve_random *stream,
    float *out, size_t count, double mean, double deviation);

/* Shuffles `count` elements of `size` bytes; each order has the same
 * probability.
 *
 * The algorithm is that of Fisher and Yates, from the end: element i is swapped
 * with an element below i + 1. */
VARVE_API void varve_random_shuffle(
    varve_random *stream, void *elements, size_t count, size_t size);

/* Writes the numbers below `count` to `out`, in the order that
 * varve_random_shuffle produces. */
VARVE_API void varve_random_permutation(
    varve_random *stream, size_t *out, size_t count);

/* --- Generators of the C library ---------------------------------------- */

typedef enum varve_libc_generator {
    VARVE_LIBC_RAND = 0,   /* rand; glibc only */
    VARVE_LIBC_RANDOM = 1, /* random; glibc, musl, macOS, FreeBSD, NetBSD */
    VARVE_LIBC_DRAND48 = 2 /* drand48, lrand48, mrand48 */
} varve_libc_generator;

/* Adds the state of a random-number generator of the C library as a state
 * `name`. A process has one such state for each generator.
 *
 * The node has the tag VARVE_TAG_RANDOM. The state is saved and restored with
 * initstate, setstate and seed48, regardless of how the generator was seeded.
 * Adding it does not change it. No thread may draw from the generator during a
 * call that saves or restores values.
 *
 * A state of another C library, or of a different size, cannot be restored
 * (VARVE_CALLBACK). A state of drand48 can be restored everywhere.
 *
 * - Records VARVE_TOO_NEW if this C library gives no access to the state, as
 *   most do for rand. */
VARVE_API varve_node *varve_add_libc_random(
    varve_node *parent, const char *name, varve_libc_generator which);

VARVE_END_DECLS

#endif
