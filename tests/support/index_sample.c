/* index_sample.c - Builds the columns of a small index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/index_sample.h"

#include <stdio.h>

#include "support/test_context.h"

#include "allocator.h"
#include "data_out.h"
#include "default_allocator.h"
#include "failure.h"
#include "index_out.h"
#include "system.h"
#include "try.h"

static varve_allocator plain;

void sample_init(struct sample *s)
{
    plain = vv_allocator_or_default(NULL);
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        vv_buffer_init(&s->columns[i], &plain);
        /* ensures that the pointer is not NULL */
        vv_buffer_extend(&s->columns[i], 0);
        s->keys[i] = vv_columns[i].key;
        s->tags[i] = vv_columns[i].tag;
    }
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        s->left_out[i] = i >= VV_FIRST_GLOBAL_COLUMN ||
                         (i >= VV_REQUIRED_COLUMN_COUNT &&
                             i < VV_FIRST_TAG_COLUMN);
    vv_buffer_init(&s->more, &plain);
    vv_buffer_init(&s->behind, &plain);
    vv_buffer_init(&s->bytes, &plain);
}

void sample_clear(struct sample *s)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_buffer_clear(&s->columns[i]);
    vv_buffer_clear(&s->more);
    vv_buffer_clear(&s->behind);
    vv_buffer_clear(&s->bytes);
}

/* --- Columns -------------------------------------------------------------- */

struct vv_buffer *sample_column(struct sample *s, uint64_t key)
{
    return &s->columns[vv_column_find(key) - vv_columns];
}

void sample_set8(struct sample *s, uint64_t key, size_t i, uint8_t value)
{
    sample_column(s, key)->data[i] = value;
}

void sample_set32(struct sample *s, uint64_t key, size_t i, uint32_t value)
{
    vv_store32(sample_column(s, key)->data + 4 * i, value);
}

void sample_set64(struct sample *s, uint64_t key, size_t i, uint64_t value)
{
    vv_store64(sample_column(s, key)->data + 8 * i, value);
}

uint32_t sample_at32(struct sample *s, uint64_t key, size_t i)
{
    return vv_load32(sample_column(s, key)->data + 4 * i);
}

uint64_t sample_at64(struct sample *s, uint64_t key, size_t i)
{
    return vv_load64(sample_column(s, key)->data + 8 * i);
}

void sample_swap32(struct sample *s, uint64_t key, size_t i, size_t k)
{
    uint32_t value = sample_at32(s, key, i);
    sample_set32(s, key, i, sample_at32(s, key, k));
    sample_set32(s, key, k, value);
}

struct vv_index sample_index(struct sample *s)
{
    struct vv_index index = { 0 };
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        vv_column_set(&vv_columns[i], &index, s->columns[i].data,
            s->columns[i].size / vv_columns[i].element);
    return index;
}

/* --- Content -------------------------------------------------------------- */

static const char *const names[] = {
    "0", "1", "2", "ke/y \xc3\xbc", "layers", "m", "model", "names", "opt",
    "rng", "root", "slots", "step", "trainable", VARVE_TAG_LOCAL, "zero",
};

enum { NAME_COUNT = sizeof names / sizeof *names };

static uint32_t sorted_names[NAME_COUNT]; /* indices into the table above */

static uint32_t name_number(const char *name)
{
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        if (strcmp(names[sorted_names[i]], name) == 0)
            return i;
    }
    cr_assert(false, "no such name: %s", name);
    return 0;
}

static void add_names(struct sample *s)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        uint32_t k = i;
        for (; k > 0 && strcmp(names[sorted_names[k - 1]], names[i]) > 0; k--)
            sorted_names[k] = sorted_names[k - 1];
        sorted_names[k] = i;
    }
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        const char *name = names[sorted_names[i]];
        vv_buffer_add_string(sample_column(s, VV_KEY_NAMES), name);
        end += (uint32_t)strlen(name);
        vv_buffer_add32(sample_column(s, VV_KEY_NAME_ENDS), end);
    }
}

static const struct {
    varve_kind kind;
    struct {
        const char *name;
        uint32_t child;
    } edges[4];
} nodes[] = {
    { VARVE_OBJECT, { { "model", 1 }, { "names", 2 }, { "opt", 3 },
                        { "rng", 4 } } },
    { VARVE_OBJECT, { { "layers", 5 }, { "root", 0 } } },
    { VARVE_DICT, { { "ke/y \xc3\xbc", 6 }, { "zero", 7 } } },
    { VARVE_OBJECT, { { "model", 1 }, { "step", 8 } } },
    { VARVE_STATE, { { NULL, 0 } } },
    { VARVE_LIST, { { "0", 9 }, { "1", 10 }, { "2", 9 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
    { VARVE_VARIABLE, { { NULL, 0 } } },
};

static void add_nodes(struct sample *s)
{
    uint32_t end = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        vv_buffer_add8(
            sample_column(s, VV_KEY_NODE_KINDS), (uint8_t)nodes[i].kind);
        for (size_t k = 0; k < 4 && nodes[i].edges[k].name; k++, end++) {
            vv_buffer_add32(sample_column(s, VV_KEY_EDGE_NAMES),
                name_number(nodes[i].edges[k].name));
            vv_buffer_add32(sample_column(s, VV_KEY_EDGE_CHILDREN),
                nodes[i].edges[k].child);
        }
        vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), end);
    }
}

static const struct {
    uint32_t node;
    varve_dtype dtype;
    uint8_t rank;
    uint64_t extents[3];
    uint64_t size; /* 0 with rank 1 and extent 7: not saved */
} values[SAMPLE_VALUE_COUNT] = {
    { 4, VARVE_UINT8, 1, { 5 }, 5 },
    { 6, VARVE_STRING, 2, { 3, 1 }, 3 * 8 + 6 },
    { 7, VARVE_FLOAT32, 2, { 0, 4 }, 0 },
    { 8, VARVE_INT64, 0, { 0 }, 8 },
    { 9, VARVE_FLOAT32, 3, { 2, 1, 3 }, 24 },
    { 10, VARVE_BFLOAT16, 2, { 180, 186 }, 66960 },
    { 11, VARVE_FLOAT32, 3, { 2, 1, 3 }, 24 },
    { 12, VARVE_COMPLEX128, 1, { 2 }, 32 },
    { 13, VARVE_FLOAT64, 1, { 7 }, 0 },
};

const void *sample_value(size_t i, uint64_t *size)
{
    static unsigned char bytes[66960];
    static const unsigned char strings[] =
        "\5\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\1\0\0\0\0\0\0\0" "hello!";
    *size = values[i].size;
    for (size_t k = 0; k < values[i].size; k++)
        bytes[k] = (unsigned char)(k * 7 + k / 251 + i);
    if (i == SAMPLE_VALUE_COUNT - 1)
        return NULL;
    return values[i].dtype == VARVE_STRING ? strings : bytes;
}

static void add_values(struct sample *s)
{
    uint64_t end = VV_HEADER_SIZE;
    for (size_t i = 0; i < SAMPLE_VALUE_COUNT; i++) {
        uint64_t size, offset = 0;
        const void *bytes = sample_value(i, &size);
        if (bytes) {
            offset = vv_data_place(end, size);
            end = offset + size;
        }
        if (size) { /* no value of the sample has two chunks */
            struct vv_digest digest = vv_digest_of(bytes, (size_t)size);
            vv_buffer_add(sample_column(s, VV_KEY_DIGESTS), &digest, 16);
        }
        vv_buffer_add32(sample_column(s, VV_KEY_VALUE_NODES), values[i].node);
        vv_buffer_add8(sample_column(s, VV_KEY_VALUE_DTYPES),
            (uint8_t)values[i].dtype);
        vv_buffer_add8(sample_column(s, VV_KEY_VALUE_RANKS), values[i].rank);
        for (size_t k = 0; k < values[i].rank; k++)
            vv_buffer_add64(
                sample_column(s, VV_KEY_VALUE_EXTENTS), values[i].extents[k]);
        vv_buffer_add64(sample_column(s, VV_KEY_VALUE_OFFSETS), offset);
        vv_buffer_add64(sample_column(s, VV_KEY_VALUE_SIZES), size);
    }
    s->data_end = vv_align_up(end, VV_ALIGNMENT);
}

static void add_slot(struct sample *s, uint32_t owner, uint32_t variable,
    const char *name, uint32_t node)
{
    vv_buffer_add32(sample_column(s, VV_KEY_SLOT_OWNERS), owner);
    vv_buffer_add32(sample_column(s, VV_KEY_SLOT_VARIABLES), variable);
    vv_buffer_add32(sample_column(s, VV_KEY_SLOT_NAMES), name_number(name));
    vv_buffer_add32(sample_column(s, VV_KEY_SLOT_NODES), node);
}

static void add_global(struct sample *s, uint32_t node, const char *name)
{
    vv_buffer_add32(sample_column(s, VV_KEY_GLOBAL_NODES), node);
    vv_buffer_add32(sample_column(s, VV_KEY_GLOBAL_NAMES), name_number(name));
}

void sample_add_globals(struct sample *s)
{
    add_global(s, 4, "zero");
    add_global(s, 8, "model");
    add_global(s, 11, "ke/y \xc3\xbc");
    s->left_out[VV_FIRST_GLOBAL_COLUMN] = false;
    s->left_out[VV_FIRST_GLOBAL_COLUMN + 1] = false;
}

static void add_place(
    struct sample *s, uint64_t begin, uint32_t layer, uint64_t offset)
{
    vv_buffer_add64(sample_column(s, VV_KEY_PLACE_BEGINS), begin);
    vv_buffer_add32(sample_column(s, VV_KEY_PLACE_LAYERS), layer);
    vv_buffer_add64(sample_column(s, VV_KEY_PLACE_OFFSETS), offset);
}

void sample_add_layers(struct sample *s)
{
    struct vv_buffer *nonces = sample_column(s, VV_KEY_LAYER_NONCES);
    uint64_t end = s->data_end, third = 4096, fourth = 4096 + 1000;
    for (uint8_t i = 0; i < SAMPLE_LAYER_COUNT; i++)
        memset(vv_buffer_extend(nonces, VV_NONCE_SIZE), 0xa0 + i,
            VV_NONCE_SIZE);
    vv_buffer_add64(sample_column(s, VV_KEY_LAYER_SIZES), end + 64);
    vv_buffer_add64(sample_column(s, VV_KEY_LAYER_SIZES), 64 + 1000 + 64);
    add_place(s, 64, 0, 64);
    add_place(s, third, 1, 64);
    add_place(s, fourth, 0, fourth);
    for (size_t i = VV_REQUIRED_COLUMN_COUNT; i < VV_FIRST_PACKED_COLUMN; i++)
        s->left_out[i] = false;
    s->data_end = VV_HEADER_SIZE;
}

static void add_pack(struct sample *s, uint32_t size, uint32_t out,
    uint32_t skip, uint8_t planes)
{
    vv_buffer_add32(sample_column(s, VV_KEY_PLACE_PACKED), size);
    vv_buffer_add32(sample_column(s, VV_KEY_PLACE_PLAIN), out);
    vv_buffer_add32(sample_column(s, VV_KEY_PLACE_SKIPS), skip);
    vv_buffer_add8(sample_column(s, VV_KEY_PLACE_PLANES), planes);
}

void sample_add_packs(struct sample *s)
{
    sample_set64(s, VV_KEY_PLACE_BEGINS, 2, 4096 + 8192);
    add_pack(s, 0, 0, 0, 0);
    add_pack(s, 936, 16384, 4096, 2);
    add_pack(s, 0, 0, 0, 0);
    for (size_t i = VV_FIRST_PACKED_COLUMN; i < VV_FIRST_PIECE_COLUMN; i++)
        s->left_out[i] = false;
}

void sample_move_layer_inside(struct sample *s)
{
    sample_column(s, VV_KEY_LAYER_NONCES)->size = VV_NONCE_SIZE;
    memset(sample_column(s, VV_KEY_LAYER_NONCES)->data, 0, VV_NONCE_SIZE);
    sample_column(s, VV_KEY_LAYER_SIZES)->size = 8;
    sample_set32(s, VV_KEY_PLACE_LAYERS, 1, 0);
    s->data_end = sample_at64(s, VV_KEY_LAYER_SIZES, 0);
}

const varve_box sample_boxes[SAMPLE_PIECE_COUNT] = {
    { .start = { 0, 0 }, .extents = { 100, 86 } },
    { .start = { 0, 86 }, .extents = { 180, 100 } },
    { .start = { 100, 0 }, .extents = { 80, 86 } },
};

static uint64_t piece_size(size_t i)
{
    return 2 * sample_boxes[i].extents[0] * sample_boxes[i].extents[1];
}

/* Adds the digests of the pieces instead of the value's single digest. */
static void add_piece_digests(struct vv_buffer *digests)
{
    uint64_t size, at = 0;
    const uint8_t *bytes = sample_value(SAMPLE_PIECED, &size);
    digests->size -= VV_DIGEST_SIZE;
    for (size_t i = 0; i < SAMPLE_PIECE_COUNT; i++) {
        struct vv_digest digest =
            vv_digest_of(bytes + at, (size_t)piece_size(i));
        vv_buffer_add(digests, &digest, VV_DIGEST_SIZE);
        at += piece_size(i);
    }
    cr_assert_eq(at, size);
}

void sample_add_pieces(struct sample *s)
{
    enum { BEFORE = 5 * VV_DIGEST_SIZE, BEHIND = 2 * VV_DIGEST_SIZE };
    uint8_t behind[BEHIND];
    struct vv_buffer *digests = sample_column(s, VV_KEY_DIGESTS);
    cr_assert_eq(digests->size, BEFORE + BEHIND);
    memcpy(behind, digests->data + BEFORE, BEHIND);
    digests->size = BEFORE;
    add_piece_digests(digests);
    vv_buffer_add(digests, behind, BEHIND);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECED_VALUES), SAMPLE_PIECED);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECE_ENDS), SAMPLE_PIECE_COUNT);
    for (size_t i = 0; i < SAMPLE_PIECE_COUNT; i++) {
        const varve_box *box = &sample_boxes[i];
        struct vv_buffer *boxes = sample_column(s, VV_KEY_PIECE_BOXES);
        vv_buffer_add64(boxes, box->start[0]);
        vv_buffer_add64(boxes, box->start[1]);
        vv_buffer_add64(boxes, box->extents[0]);
        vv_buffer_add64(boxes, box->extents[1]);
    }
    for (size_t i = VV_FIRST_PIECE_COLUMN; i < VV_FIRST_PAGE_COLUMN; i++)
        s->left_out[i] = false;
}

void sample_add_part(struct sample *s)
{
    const struct vv_buffer *extents = sample_column(s, VV_KEY_VALUE_EXTENTS);
    const struct vv_buffer *ranks = sample_column(s, VV_KEY_VALUE_RANKS);
    struct vv_buffer *wholes = sample_column(s, VV_KEY_WHOLE_EXTENTS);
    struct vv_buffer *starts = sample_column(s, VV_KEY_PART_STARTS);
    size_t first = 0;
    for (size_t i = 0; i < SAMPLE_PIECED; i++)
        first += ranks->data[i];
    vv_buffer_add(wholes, extents->data, extents->size);
    memset(vv_buffer_extend(starts, extents->size), 0, extents->size);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, first,
        sample_at64(s, VV_KEY_VALUE_EXTENTS, first) + 5);
    sample_set64(s, VV_KEY_PART_STARTS, first, 3);
    for (size_t i = VV_FIRST_PART_COLUMN; i < VV_FIRST_TAG_COLUMN; i++)
        s->left_out[i] = false;
}

static void add_tag(struct sample *s, uint32_t node, const char *name)
{
    vv_buffer_add32(sample_column(s, VV_KEY_TAG_NODES), node);
    vv_buffer_add32(sample_column(s, VV_KEY_TAG_NAMES), name_number(name));
}

const varve_metadata sample_metadata[SAMPLE_METADATA_COUNT] = {
    { .name = "lr", .kind = VARVE_METADATA_REAL, .real = 0.125 },
    { .name = "best", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
    { .name = "loss", .kind = VARVE_METADATA_INTEGER, .integer = INT64_MIN },
    { .name = "note", .kind = VARVE_METADATA_STRING,
        .string = "caf\xc3\xa9, with quotes \"" },
    { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 12000 },
    { .name = "a long name of metadata", .kind = VARVE_METADATA_BOOLEAN },
};

/* Adds counter and metadata as raw bytes. */
static void add_more(struct sample *s)
{
    static const unsigned char bytes[] =
        "\x18\x82" "\x19\x2e\xe0" "\x18\x83" "\xa6"
        "\x62lr" "\xd8\x56\x48\0\0\0\0\0\0\xc0\x3f"
        "\x64" "best" "\xf5"
        "\x64loss" "\x3b\x7f\xff\xff\xff\xff\xff\xff\xff"
        "\x64note" "\x74" "caf\xc3\xa9, with quotes \""
        "\x64step" "\x19\x2e\xe0"
        "\x77" "a long name of metadata" "\xf4";
    vv_buffer_add(&s->more, bytes, sizeof bytes - 1);
    s->more_pairs = 2;
}

void sample_build(struct sample *s)
{
    sample_init(s);
    add_names(s);
    add_nodes(s);
    add_slot(s, 3, 9, "m", 11);
    add_slot(s, 3, 9, "slots", 12);
    add_slot(s, 3, 10, "m", 13);
    add_tag(s, 9, "trainable");
    add_tag(s, 13, VARVE_TAG_LOCAL);
    add_values(s);
    add_more(s);
    sample_encode(s);
}

void sample_leave_out_optional(struct sample *s)
{
    for (size_t i = VV_REQUIRED_COLUMN_COUNT; i < VV_COLUMN_COUNT; i++)
        s->left_out[i] = true;
}

void sample_build_smallest(struct sample *s)
{
    sample_init(s);
    vv_buffer_add8(sample_column(s, VV_KEY_NODE_KINDS), VARVE_OBJECT);
    vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), 0);
    s->data_end = VV_HEADER_SIZE;
    sample_leave_out_optional(s);
    sample_encode(s);
}

void sample_build_state(struct sample *s, uint64_t size)
{
    size_t digests = (size_t)vv_chunk_count(size) * VV_DIGEST_SIZE;
    sample_build_smallest(s);
    sample_set8(s, VV_KEY_NODE_KINDS, 0, VARVE_STATE);
    vv_buffer_add32(sample_column(s, VV_KEY_VALUE_NODES), 0);
    vv_buffer_add8(sample_column(s, VV_KEY_VALUE_DTYPES), VARVE_UINT8);
    vv_buffer_add8(sample_column(s, VV_KEY_VALUE_RANKS), 1);
    vv_buffer_add64(sample_column(s, VV_KEY_VALUE_EXTENTS), size);
    vv_buffer_add64(sample_column(s, VV_KEY_VALUE_SIZES), size);
    uint64_t offset = vv_data_place(VV_HEADER_SIZE, size);
    vv_buffer_add64(sample_column(s, VV_KEY_VALUE_OFFSETS), offset);
    memset(vv_buffer_extend(sample_column(s, VV_KEY_DIGESTS), digests), 7,
        digests);
    s->data_end = vv_align_up(offset + size, VV_ALIGNMENT);
    sample_encode(s);
}

/* --- Bytes ---------------------------------------------------------------- */

static varve_status add_bytes(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

static void put_columns(
    const struct sample *s, struct vv_cbor_out *out, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (s->left_out[i])
            continue;
        vv_cbor_put_unsigned(out, s->keys[i]);
        if (s->tags[i])
            vv_cbor_put_tag(out, s->tags[i]);
        vv_cbor_put_bytes(out, s->columns[i].data, s->columns[i].size);
    }
}

void sample_encode(struct sample *s)
{
    struct vv_cbor_out out = { .sink = add_bytes, .user = &s->bytes };
    size_t count = s->more_pairs;
    s->bytes.size = 0;
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++)
        count += !s->left_out[i];
    vv_cbor_put_map(&out, count);
    put_columns(s, &out, 0, VV_FIRST_GLOBAL_COLUMN);
    vv_buffer_add(&s->bytes, s->more.data, s->more.size);
    put_columns(s, &out, VV_FIRST_GLOBAL_COLUMN, VV_COLUMN_COUNT);
    vv_buffer_add(&s->bytes, s->behind.data, s->behind.size);
}

const struct vv_context *sample_context(void)
{
    static struct vv_context context;
    context = test_context(NULL);
    return &context;
}

static varve_status save_values(struct sample *s, struct vv_data_out *out,
    struct vv_buffer *digests, varve_error *error)
{
    size_t count = sample_column(s, VV_KEY_VALUE_NODES)->size / 4;
    for (size_t i = 0; i < count; i++) {
        uint64_t size, offset;
        const void *bytes = sample_value(i, &size);
        if (!bytes)
            continue;
        const struct vv_source source = { .bytes = bytes };
        VV_TRY(vv_data_out_value(
            out, &source, size, "a value", &offset, digests, error));
        cr_assert_eq(offset, sample_at64(s, VV_KEY_VALUE_OFFSETS, i));
        if (i == SAMPLE_PIECED && !s->left_out[VV_FIRST_PIECE_COLUMN])
            add_piece_digests(digests);
    }
    return VARVE_OK;
}

static varve_status save_all(struct sample *s, struct vv_data_out *out,
    struct vv_buffer *digests, varve_error *error)
{
    struct vv_index index = sample_index(s);
    if (s->more_pairs) {
        index.counter = SAMPLE_COUNTER;
        index.metadata = sample_metadata;
        index.metadata_count = SAMPLE_METADATA_COUNT;
    }
    VV_TRY(save_values(s, out, digests, error));
    cr_assert_eq(digests->size / 16, index.digest_count);
    index.digests = digests->data;
    return vv_data_out_end(out, &index, error);
}

varve_status sample_save(struct sample *s, const struct vv_context *context,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_data_out out = { 0 };
    struct vv_buffer digests;
    int file =
        system->create_file(system->state, VV_WORKING_DIRECTORY, path);
    if (file < 0)
        return vv_fail_system(error, -file, "create", path);
    vv_buffer_init(&digests, &context->allocator);
    varve_status status = vv_data_out_begin(
        &out, context, file, path, s->data_end + s->bytes.size + 64, error);
    if (!status)
        status = save_all(s, &out, &digests, error);
    vv_data_out_clear(&out);
    vv_buffer_clear(&digests);
    system->close(system->state, file);
    if (status)
        system->remove(system->state, VV_WORKING_DIRECTORY, path);
    return status;
}

varve_status sample_parse(
    struct sample *s, struct vv_parsed_index *parsed, varve_error *error)
{
    return vv_index_parse(sample_context(), "sample.varve", s->bytes.data,
        s->bytes.size, s->data_end, parsed, error);
}

void sample_check_breakages(const struct breakage *breakages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct breakage *b = &breakages[i];
        struct sample s;
        struct vv_parsed_index parsed;
        varve_error error = { 0 };
        sample_build(&s);
        b->apply(&s);
        sample_encode(&s);
        varve_status status = sample_parse(&s, &parsed, &error);
        cr_assert_eq(status, b->status, "%s: %s: %s", b->what,
            varve_status_name(status), error.message);
        cr_assert(strstr(error.message, b->says), "%s: \"%s\" lacks \"%s\"",
            b->what, error.message, b->says);
        cr_assert(strstr(error.message, "sample.varve: index at offset "),
            "%s: %s", b->what, error.message);
        cr_assert_eq(test_block_count(), 0, "%s: memory is left", b->what);
        sample_clear(&s);
    }
}
