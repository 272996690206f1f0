/* random.c - Streams of random numbers: seeds, single draws, and many at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/random.h>

#include <string.h>

#include "bytes.h"
#include "normal.h"
#include "philox.h"
#include "random_key.h"

enum {
    BLOCK = 4,    /* words of one counter */
    AT_ONCE = 256 /* words on the stack for conversions */
};

static const double unit_step = 1.0 / 9007199254740992.0; /* 2^-53 */

/* Probabilities of being two deviations below the mean, and of being within
 * two. */
static const double below_two = 0.022750131948179207;
static const double within_two = 0.95449973610364159;

/* --- Seeds -------------------------------------------------------------- */

void varve_random_seed(varve_random *stream, uint64_t seed, const char *path)
{
    *stream = (varve_random){ .position = 0 };
    vv_random_key(stream->key, &seed, 1, path);
}

varve_random varve_random_split(const varve_random *stream, const char *name)
{
    varve_random child = { .position = 0 };
    vv_random_key(child.key, stream->key, 2, name);
    return child;
}

void varve_random_skip(varve_random *stream, uint64_t words)
{
    stream->position += words;
}

/* --- Random words ------------------------------------------------------- */

static uint64_t counter_of(const varve_random *stream)
{
    return stream->position / BLOCK + 1;
}

/* Computes the block that contains the position. */
static void random_make_block(varve_random *stream)
{
    stream->made_counter = counter_of(stream);
    stream->made_key[0] = stream->key[0];
    stream->made_key[1] = stream->key[1];
    vv_philox_fill(stream->key, stream->made_counter, 1, stream->made);
}

/* Computes the block again if key or position have been restored since. */
static uint64_t next_word(varve_random *stream)
{
    if (stream->made_counter != counter_of(stream) ||
        stream->made_key[0] != stream->key[0] ||
        stream->made_key[1] != stream->key[1])
        random_make_block(stream);
    return stream->made[stream->position++ % BLOCK];
}

uint64_t varve_random_u64(varve_random *stream)
{
    return next_word(stream);
}

void varve_random_fill_u64(varve_random *stream, uint64_t *out, size_t count)
{
    size_t done = 0;
    while (done < count && stream->position % BLOCK != 0)
        out[done++] = next_word(stream);
    size_t blocks = (count - done) / BLOCK;
    vv_philox_fill(stream->key, counter_of(stream), blocks, out + done);
    stream->position += blocks * BLOCK;
    done += blocks * BLOCK;
    while (done < count)
        out[done++] = next_word(stream);
}

/* --- Conversion of words ------------------------------------------------ */

struct shape {
    double a, b; /* low and high, or mean and deviation */
};

static double as_unit(uint64_t word)
{
    return (double)(word >> 11) * unit_step;
}

static double as_uniform(uint64_t word, struct shape s)
{
    double x = s.a + (s.b - s.a) * as_unit(word);
    return x < s.b ? x : s.a;
}

/* Returns an exact number in (0, 1); the numbers are symmetric around 1/2. */
static double as_inner(uint64_t word)
{
    return ((double)(word >> 12) + 0.5) * (2 * unit_step);
}

static double as_normal(uint64_t word, struct shape s)
{
    return s.a + s.b * vv_normal_quantile(as_inner(word));
}

static double as_truncated(uint64_t word, struct shape s)
{
    double x = vv_normal_quantile(below_two + within_two * as_inner(word));
    x = x < -2 ? -2 : x > 2 ? 2 : x;
    return s.a + s.b * x;
}

double varve_random_unit(varve_random *stream)
{
    return as_unit(next_word(stream));
}

double varve_random_uniform(varve_random *stream, double low, double high)
{
    return as_uniform(next_word(stream), (struct shape){ low, high });
}

double varve_random_normal(varve_random *stream, double mean, double deviation)
{
    return as_normal(next_word(stream), (struct shape){ mean, deviation });
}

double varve_random_truncated_normal(
    varve_random *stream, double mean, double deviation)
{
    return as_truncated(next_word(stream), (struct shape){ mean, deviation });
}

/* --- Many at once ------------------------------------------------------- */

static double as_unit_of(uint64_t word, struct shape s)
{
    (void)s;
    return as_unit(word);
}

typedef double word_function(uint64_t word, struct shape s);

static size_t next_words(
    varve_random *stream, uint64_t words[AT_ONCE], size_t left)
{
    size_t count = left < AT_ONCE ? left : AT_ONCE;
    varve_random_fill_u64(stream, words, count);
    return count;
}

/* Fills an array with converted words. Inline, so that each caller gets a loop
 * with its own function inlined. */
static inline void random_fill(varve_random *stream, double *out, size_t count,
    word_function *function, struct shape s)
{
    uint64_t words[AT_ONCE];
    for (size_t done = 0; done < count;) {
        size_t now = next_words(stream, words, count - done);
        for (size_t i = 0; i < now; i++)
            out[done++] = function(words[i], s);
    }
}

static inline void fill_float32(varve_random *stream, float *out, size_t count,
    word_function *function, struct shape s)
{
    uint64_t words[AT_ONCE];
    for (size_t done = 0; done < count;) {
        size_t now = next_words(stream, words, count - done);
        for (size_t i = 0; i < now; i++)
            out[done++] = (float)function(words[i], s);
    }
}

void varve_random_fill_unit(varve_random *stream, double *out, size_t count)
{
    random_fill(stream, out, count, as_unit_of, (struct shape){ 0, 1 });
}

void varve_random_fill_uniform(
    varve_random *stream, double *out, size_t count, double low, double high)
{
    random_fill(stream, out, count, as_uniform, (struct shape){ low, high });
}

void varve_random_fill_normal(varve_random *stream, double *out, size_t count,
    double mean, double deviation)
{
    random_fill(
        stream, out, count, as_normal, (struct shape){ mean, deviation });
}

void varve_random_fill_truncated_normal(varve_random *stream, double *out,
    size_t count, double mean, double deviation)
{
    random_fill(
        stream, out, count, as_truncated, (struct shape){ mean, deviation });
}

void varve_random_fill_uniform_float32(
    varve_random *stream, float *out, size_t count, double low, double high)
{
    fill_float32(stream, out, count, as_uniform, (struct shape){ low, high });
    for (size_t i = 0; i < count; i++) {
        if (out[i] >= high)
            out[i] = (float)low;
    }
}

void varve_random_fill_normal_float32(varve_random *stream, float *out,
    size_t count, double mean, double deviation)
{
    fill_float32(
        stream, out, count, as_normal, (struct shape){ mean, deviation });
}

void varve_random_fill_truncated_normal_float32(varve_random *stream,
    float *out, size_t count, double mean, double deviation)
{
    fill_float32(
        stream, out, count, as_truncated, (struct shape){ mean, deviation });
}

/* --- Integers and permutations ------------------------------------------ */

uint64_t varve_random_below(varve_random *stream, uint64_t limit)
{
    uint64_t low;
    if (limit == 0)
        return 0;
    uint64_t high = vv_multiply(next_word(stream), limit, &low);
    if (low >= limit)
        return high;
    uint64_t uneven = (0 - limit) % limit; /* 2^64 mod limit */
    while (low < uneven)
        high = vv_multiply(next_word(stream), limit, &low);
    return high;
}

static void random_swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

void varve_random_shuffle(
    varve_random *stream, void *elements, size_t count, size_t size)
{
    unsigned char *bytes = elements;
    for (size_t i = count; i-- > 1;) {
        size_t k = (size_t)varve_random_below(stream, i + 1);
        if (k != i)
            random_swap(bytes + i * size, bytes + k * size, size);
    }
}

void varve_random_permutation(varve_random *stream, size_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = i;
    varve_random_shuffle(stream, out, count, sizeof *out);
}
