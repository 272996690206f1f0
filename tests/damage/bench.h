/* bench.h - a small file with one of everything, kept three times: as it was
 * saved, as the program is now, and as it is after it was damaged.
 *
 *     struct bench b;
 *     bench_begin(&b, false);
 *     bench_bytes(&b)[place] ^= 1;
 *     bench_check(&b, &b.saved, place);
 *     bench_read(&b, NULL, place);
 *     bench_mend(&b);
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
    BENCH_SAVED = 1, /* seeds of what is in the file, and in the program */
    BENCH_NOW = 2,
    BENCH_OLDER = 8, /* strings of the same sizes as those of BENCH_SAVED */
    BENCH_VALUES = 64,
    BENCH_HEADER = 64,
    BENCH_FOOTER = 64,
};

#define BENCH_PATH "a-1.varve"

/* How the program calls the value that has two paths; files have "a%2Fb%25c",
 * which is shorter. */
#define BENCH_SHARED "network/gr\xc3\xb6\xc3\x9f" "e"

struct image_value {
    uint32_t id;
    char path[80];
    uint64_t offset;
    uint64_t size;
};

/* A file that is good, and where what of it is. */
struct image {
    unsigned char *bytes;
    size_t size;
    uint64_t data_end; /* where the index begins */
    size_t count;
    struct image_value values[BENCH_VALUES]; /* by offset */
};

struct bench {
    struct memory *memory;
    struct vv_context context;
    varve_graph *graph;
    struct everything model;
    struct image saved;
    struct image now;
    uint64_t tried;
    uint64_t refused, right; /* reads that failed, and that succeeded */
    uint64_t random;
};

/* `with_large`: also values of more than a chunk, and of several pages. */
void bench_begin(struct bench *b, bool with_large);
void bench_end(struct bench *b, const char *what);

/* Saves the model with the values of a seed, as a file of the same name and
 * counter; the model keeps the values of BENCH_NOW. */
void bench_save(struct bench *b, unsigned seed, struct image *image);
void image_free(struct image *image);

/* The file, to be damaged in place. */
unsigned char *bench_bytes(struct bench *b);
void bench_put(struct bench *b, const void *bytes, size_t size);
void bench_mend(struct bench *b);

/* Whether the file is another than that one. */
bool bench_differs(struct bench *b, const struct image *image);

/* The value that a byte belongs to, or NULL. */
const struct image_value *image_find(const struct image *image, uint64_t place);

/* What must be found, exactly, where the file should be `image` and is not:
 * damage of header, index or footer or another size: it does not open. Damage
 * of values: it opens; verifying names each chunk and padding that differs, and
 * no other; a read of each value that differs is refused, naming it, and any
 * other value is right. `place` is for messages. */
void bench_check(struct bench *b, const struct image *image, size_t place);

/* Restores into the model, which then is as saved, or is as it was and the
 * error says why. The model has its values again afterwards. */
bool bench_read(
    struct bench *b, const varve_read_options *options, size_t place);

/* Whether a failure to read says that the file is damaged, and which file. */
void bench_check_error(const varve_error *error, size_t place);

/* Whether a text has a path of the value in it. */
bool bench_names(const char *text, const struct image_value *value);

/* Compares each value of the model with the images; told by value. */
enum bench_state { IS_SAVED = 1, IS_NOW = 2 };
void bench_look(struct bench *b, unsigned found[BENCH_VALUES]);

/* Below `limit`. */
uint64_t bench_random(struct bench *b, uint64_t limit);

#endif
