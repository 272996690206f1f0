/* index_sample.h - Declares a small index whose parts can be changed, for the
 * tests of the format.
 *
 * It is encoded independently of index_out, so that invalid indexes can be
 * written too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_INDEX_SAMPLE_H
#define SUPPORT_INDEX_SAMPLE_H

#include "buffer.h"
#include "context.h"
#include "index.h"
#include "index_in.h"
#include "layout.h"

struct sample {
    struct vv_buffer columns[VV_COLUMN_COUNT]; /* in the order of vv_columns */
    uint64_t keys[VV_COLUMN_COUNT];
    uint64_t tags[VV_COLUMN_COUNT];
    bool left_out[VV_COLUMN_COUNT];
    struct vv_buffer more; /* additional pairs, as CBOR */
    unsigned more_pairs;
    struct vv_buffer behind; /* bytes after the map */
    uint64_t data_end;
    struct vv_buffer bytes; /* the encoded index, set by sample_encode */
};

/* The memory of a sample is not counted as the library's. */
void sample_init(struct sample *s);
void sample_clear(struct sample *s);

/* Builds objects, a list, a dict, a state, a cycle, a shared variable, slots,
 * tags, values of all relevant sizes, one value that is not saved, a counter
 * and metadata. */
void sample_build(struct sample *s);

/* Indices of its names. */
enum { N_0, N_1, N_2, N_KEY, N_LAYERS, N_LOCAL, N_M, N_MODEL, N_NAMES, N_OPT,
    N_RNG, N_ROOT, N_SLOTS, N_STEP, N_TRAINABLE, N_ZERO, N_COUNT };

/* Builds only a root, without metadata. */
void sample_build_smallest(struct sample *s);

/* Builds only a root, a state of `size` bytes, with arbitrary digests. */
void sample_build_state(struct sample *s, uint64_t size);

/* Adds global names for a state and two variables. */
void sample_add_globals(struct sample *s);

/* Moves the data to two data files, the second of which has 1000 bytes of it.
 * The files are not created. The index then follows the header immediately. */
enum { SAMPLE_LAYER_COUNT = 2 };
void sample_add_layers(struct sample *s);

/* Call after sample_add_layers: compresses the middle extent, two pages of a
 * compressed chunk of four. */
void sample_add_packs(struct sample *s);

/* Call after sample_add_packs: moves all data to one extent before the
 * index. */
void sample_move_layer_inside(struct sample *s);

/* Splits the large value into three pieces: one beside two that are stacked. */
enum { SAMPLE_PIECED = 5, SAMPLE_PIECE_COUNT = 3 };
extern const varve_box sample_boxes[SAMPLE_PIECE_COUNT];
void sample_add_pieces(struct sample *s);

/* Makes the large value a slice of a larger value, at an offset. */
void sample_add_part(struct sample *s);

/* Omits the optional columns. */
void sample_leave_out_optional(struct sample *s);

void sample_encode(struct sample *s);

/* Returns a column by its key. The following functions change its elements. */
struct vv_buffer *sample_column(struct sample *s, uint64_t key);
void sample_set8(struct sample *s, uint64_t key, size_t i, uint8_t value);
void sample_set32(struct sample *s, uint64_t key, size_t i, uint32_t value);
void sample_set64(struct sample *s, uint64_t key, size_t i, uint64_t value);
void sample_swap32(struct sample *s, uint64_t key, size_t i, size_t k);
uint32_t sample_at32(struct sample *s, uint64_t key, size_t i);
uint64_t sample_at64(struct sample *s, uint64_t key, size_t i);

/* Returns the columns as an index (without counter and metadata). */
struct vv_index sample_index(struct sample *s);

/* The counter and metadata that sample_build adds. */
enum { SAMPLE_COUNTER = 12000, SAMPLE_METADATA_COUNT = 6 };
extern const varve_metadata sample_metadata[SAMPLE_METADATA_COUNT];

/* Returns the bytes of a value of the sample as stored in a file, or NULL for
 * the value that is not saved. */
enum { SAMPLE_VALUE_COUNT = 9 };
const void *sample_value(size_t i, uint64_t *size);

/* Returns a context with the test's allocator and no system, for parsing. */
const struct vv_context *sample_context(void);

/* Creates a file with the sample's values and index, counter and metadata, by
 * data_out. Removes it after a failure. */
varve_status sample_save(struct sample *s, const struct vv_context *context,
    const char *path, varve_error *error);

/* Parses s->bytes. */
varve_status sample_parse(
    struct sample *s, struct vv_parsed_index *parsed, varve_error *error);

/* A violation of one rule in the sample, with the expected status and
 * message. */
struct breakage {
    const char *what;
    void (*apply)(struct sample *s);
    varve_status status;
    const char *says; /* a part of the message */
};

/* Checks the results, and that nothing is leaked. */
void sample_check_breakages(const struct breakage *breakages, size_t count);

#endif
