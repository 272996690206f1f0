/* index_sample.h - a small index whose parts can be bent, for the tests of the
 * format.
 *
 * It is encoded here independently of index_out, so that what no writer would
 * write can be written too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_INDEX_SAMPLE_H
#define SUPPORT_INDEX_SAMPLE_H

#include "buffer.h"
#include "column.h"
#include "context.h"
#include "index_in.h"
#include "layout.h"

struct sample {
    struct vv_buffer columns[VV_COLUMN_COUNT]; /* in the order of vv_columns */
    uint64_t keys[VV_COLUMN_COUNT];
    uint64_t tags[VV_COLUMN_COUNT];
    bool left_out[VV_COLUMN_COUNT];
    struct vv_buffer more; /* further pairs, as CBOR */
    unsigned more_pairs;
    struct vv_buffer behind; /* bytes behind the map */
    uint64_t data_end;
    struct vv_buffer bytes; /* of the index; by sample_encode */
};

/* The memory of a sample does not count as the library's. */
void sample_init(struct sample *s);
void sample_clear(struct sample *s);

/* Objects, list, dict, state, a cycle, a shared variable, slots, tags, values
 * of all sizes that matter, one that is not saved; a counter and metadata. */
void sample_build(struct sample *s);

/* Numbers of names of that. */
enum { N_0, N_1, N_2, N_KEY, N_LAYERS, N_LOCAL, N_M, N_MODEL, N_NAMES, N_OPT,
    N_RNG, N_ROOT, N_SLOTS, N_STEP, N_TRAINABLE, N_ZERO, N_COUNT };

/* Only a root, no metadata. */
void sample_build_smallest(struct sample *s);

/* Only a root, a state of `size` bytes, whose digests are any. */
void sample_build_state(struct sample *s, uint64_t size);

/* Gives a state and two variables global names. */
void sample_add_globals(struct sample *s);

/* Puts the data into two layers, of which the second has 1000 bytes of it. They
 * are not made; the index is right behind the header then. */
enum { SAMPLE_LAYER_COUNT = 2 };
void sample_add_layers(struct sample *s);

/* Then: packs the place in the middle, two pages of a packed chunk of four. */
void sample_add_packs(struct sample *s);

/* And then: all is in one layer, before the index. */
void sample_move_layer_inside(struct sample *s);

/* Puts the large value into three pieces: one beside two that are one upon the
 * other. */
enum { SAMPLE_PIECED = 5, SAMPLE_PIECE_COUNT = 3 };
extern const varve_box sample_boxes[SAMPLE_PIECE_COUNT];
void sample_add_pieces(struct sample *s);

/* Makes a part of the large value: its shape, further on in a larger one. */
void sample_add_part(struct sample *s);

/* Leaves out the columns that may be left out. */
void sample_leave_out_optional(struct sample *s);

void sample_encode(struct sample *s);

/* Column by key, and its elements. */
struct vv_buffer *sample_column(struct sample *s, uint64_t key);
void sample_set8(struct sample *s, uint64_t key, size_t i, uint8_t value);
void sample_set32(struct sample *s, uint64_t key, size_t i, uint32_t value);
void sample_set64(struct sample *s, uint64_t key, size_t i, uint64_t value);
void sample_swap32(struct sample *s, uint64_t key, size_t i, size_t k);
uint32_t sample_at32(struct sample *s, uint64_t key, size_t i);
uint64_t sample_at64(struct sample *s, uint64_t key, size_t i);

/* The columns as an index (without counter and metadata). */
struct vv_index sample_index(struct sample *s);

/* What sample_build puts into counter and metadata. */
enum { SAMPLE_COUNTER = 12000, SAMPLE_METADATA_COUNT = 6 };
extern const varve_metadata sample_metadata[SAMPLE_METADATA_COUNT];

/* The bytes of each value of the sample, as they lie in a file; NULL for the
 * value that is not saved. */
enum { SAMPLE_VALUE_COUNT = 9 };
const void *sample_value(size_t i, uint64_t *size);

/* A context with the test's allocator and no system, for parsing. */
const struct vv_context *sample_context(void);

/* Creates a file with the sample's values and index, counter and metadata, by
 * data_out; removes it if that fails. */
varve_status sample_save(struct sample *s, const struct vv_context *context,
    const char *path, varve_error *error);

/* Parses s->bytes. */
varve_status sample_parse(
    struct sample *s, struct vv_parsed_index *parsed, varve_error *error);

/* A rule broken once in the sample: which status and words it gives. */
struct breakage {
    const char *what;
    void (*apply)(struct sample *s);
    varve_status status;
    const char *says; /* a part of the message */
};

/* Asserts all that, and that nothing is left behind. */
void sample_check_breakages(const struct breakage *breakages, size_t count);

#endif
