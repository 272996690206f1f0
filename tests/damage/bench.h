/* bench.h - Provides a small file with every kind of value, in three versions:
 * as saved, as currently in the program, and damaged.
 *
 *     struct bench b;
 *     bench_begin(&b, false);
 *     bench_bytes(&b)[place] ^= 1;
 *     bench_check(&b, &b.saved, place);
 *     bench_read(&b, NULL, place);
 *     bench_repair(&b);
 *     bench_end(&b, "flipped bits");
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DAMAGE_BENCH_H
#define DAMAGE_BENCH_H

#include <stdint.h>

#include "graph.h"
#include "model/everything.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"

enum {
    BENCH_SAVED = 1, /* seeds of the values in the file and in the program */
    BENCH_NOW = 2,
    BENCH_OLDER = 8, /* strings have the same sizes as with BENCH_SAVED */
    BENCH_VALUES = 64,
    BENCH_HEADER = 64,
    BENCH_FOOTER = 64,
};

#define BENCH_PATH "a-1.varve"

/* The program's name for the value with two paths. Files contain "a%2Fb%25c",
 * which is shorter. */
#define BENCH_SHARED "network/gr\xc3\xb6\xc3\x9f" "e"

struct image_value {
    uint32_t id;
    char path[80];
    uint64_t offset;
    uint64_t size;
};

/* A valid file and the positions of its parts. */
struct image {
    unsigned char *bytes;
    size_t size;
    uint64_t data_end; /* offset of the index */
    size_t count;
    struct image_value values[BENCH_VALUES]; /* sorted by offset */
};

struct bench {
    struct memory *memory;
    struct vv_context context;
    varve_graph *graph;
    struct everything model;
    struct image saved;
    struct image now;
    uint64_t tried;
    uint64_t refused, right; /* failed and successful reads */
    uint64_t random;
};

/* Creates the file; `with_large` also adds values of several chunks and
 * pages. */
void bench_begin(struct bench *b, bool with_large);
void bench_end(struct bench *b, const char *what);

/* Saves the model with the values of a seed, with the same file name and
 * counter. The model keeps the values of BENCH_NOW. */
void bench_save(struct bench *b, unsigned seed, struct image *image);
void image_free(struct image *image);

/* Returns the bytes of the file, to be damaged in place. */
unsigned char *bench_bytes(struct bench *b);
void bench_put(struct bench *b, const void *bytes, size_t size);
void bench_repair(struct bench *b);

/* Returns true if the file differs from the image. */
bool bench_differs(struct bench *b, const struct image *image);

/* Returns the value that contains the byte, or NULL. */
const struct image_value *image_find(const struct image *image, uint64_t place);

/* Checks the findings for a file that should equal `image` and does not. After
 * damage of header, index or footer or with another size, it does not open.
 * After damage of values, it opens; verifying reports each chunk and padding
 * that differs, and no other; reading a value that differs fails with its name,
 * and all other values are correct. `place` is for messages. */
void bench_check(struct bench *b, const struct image *image, size_t place);

/* Restores into the model. Afterwards it has the saved values, or is unchanged
 * and the error reports why. Then resets the model. Returns true if the values
 * were restored. */
bool bench_read(
    struct bench *b, const varve_read_options *options, size_t place);

/* Checks that an error reports damage and the name of the file. */
void bench_check_error(const varve_error *error, size_t place);

/* Returns true if a text contains a path of the value. */
bool bench_names(const char *text, const struct image_value *value);

/* Compares each value of the model with the images, and sets its state. */
enum bench_state { IS_SAVED = 1, IS_NOW = 2 };
void bench_look(struct bench *b, unsigned found[BENCH_VALUES]);

/* Returns a random number below `limit`. */
uint64_t bench_random(struct bench *b, uint64_t limit);

#endif
