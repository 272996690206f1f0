/* everything.c - Builds a model with every kind of node and fills it with
 * numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/everything.h"

#include <string.h>

static const varve_string texts[] = {
    { "", 0 }, { "a", 1 }, { "nul\0inside", 10 },
    { "gr\xc3\xb6\xc3\x9f" "e", 7 },
    { "\xff\xfe bytes of any value", 22 }, { "words", 5 },
    { "a string that is longer than sixteen bytes", 42 },
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* --- Building ------------------------------------------------------------- */

static varve_status save_generator(void *self, varve_sink *sink)
{
    const struct everything *model = self;
    varve_put(sink, model->generator, 7);
    varve_put(sink, model->generator + 7, sizeof model->generator - 7);
    return VARVE_OK;
}

static varve_status load_generator(void *self, const void *bytes, size_t size)
{
    struct everything *model = self;
    model->loads++;
    if (model->failing_load > 0 && --model->failing_load == 0)
        return VARVE_CALLBACK;
    if (size != sizeof model->generator)
        return VARVE_MISMATCH;
    memcpy(model->generator, bytes, size);
    return VARVE_OK;
}

static void add_numbers(struct everything *model, varve_node *root)
{
    varve_node *dict = varve_add_dict(root, "numbers");
    for (int i = 0; i < EVERYTHING_NUMBERS; i++) {
        varve_dtype dtype = (varve_dtype)(i + 1);
        varve_add_variable(dict, varve_dtype_name(dtype),
            varve_view(model->numbers[i], dtype, VARVE_SHAPE(2, 3)));
    }
}

static void add_shapes(struct everything *model, varve_node *root)
{
    uint64_t extents[VARVE_MAX_RANK];
    for (int i = 0; i < VARVE_MAX_RANK; i++)
        extents[i] = i == 9 ? 2 : 1;
    varve_node *shapes = varve_add_object(root, "shapes");
    varve_add_variable(shapes, "deep", varve_view(model->deep, VARVE_INT8,
        varve_shape_of(VARVE_MAX_RANK, extents)));
    varve_add_variable(shapes, "empty", varve_view(NULL, VARVE_FLOAT32,
        VARVE_SHAPE(0, 3)));
    varve_add_variable(root, "step", varve_scalar(&model->step));
    varve_add_variable(root, "words", varve_array(model->words, 3));
    model->labels = varve_add_allocated_variable(root, "labels", VARVE_STRING,
        VARVE_SHAPE(2, 1), NULL, NULL);
}

static void add_layers(struct everything *model, varve_node *network)
{
    varve_node *layers = varve_add_list(network, "layers");
    for (int i = 0; i < 2; i++) {
        varve_node *layer = varve_add_object(layers, VARVE_APPEND);
        model->kernels[i] = varve_add_allocated_variable(layer, "kernel",
            VARVE_FLOAT32, VARVE_SHAPE(2, 3), NULL, NULL);
        varve_tag(model->kernels[i], VARVE_TAG_TRAINABLE);
        varve_add_variable(layer, "bias", varve_array(model->bias[i], 3));
    }
}

static void add_optimizer(struct everything *model, varve_node *root)
{
    varve_node *optimizer = varve_add_object(root, "optimizer");
    varve_tag(optimizer, "mine");
    varve_add_slot(optimizer, model->kernels[0], "momentum",
        varve_array(model->momentum, 2, 3));
    model->second_moment = varve_add_allocated_slot(optimizer,
        model->kernels[1], "second_moment", VARVE_FLOAT32, VARVE_SHAPE(2, 3),
        NULL, NULL);
}

void everything_build(struct everything *model, varve_graph *graph)
{
    static const varve_state_callbacks callbacks = {
        .save = save_generator, .load = load_generator };
    varve_node *root = varve_graph_root(graph);
    add_numbers(model, root);
    add_shapes(model, root);
    varve_node *network = varve_add_object(root, "network");
    varve_track(network, "owner", root); /* a cycle */
    add_layers(model, network);
    varve_node *shared = varve_add_variable(network, "gr\xc3\xb6\xc3\x9f" "e",
        varve_array(model->embedding, 4, 2));
    varve_track(root, "a/b%c", shared);
    add_optimizer(model, root);
    varve_node *state = varve_add_state(root, "generator", &callbacks, model);
    varve_add_variable(state, "draws", varve_scalar(&model->draws));
    varve_node *cache =
        varve_add_variable(root, "cache", varve_array(model->cache, 4));
    varve_tag(cache, VARVE_TAG_LOCAL);
    model->paged = NULL;
    if (!model->big)
        return;
    varve_add_variable(root, "big", varve_array(model->big, EVERYTHING_BIG));
    model->paged = varve_add_allocated_variable(root, "paged", VARVE_UINT8,
        VARVE_SHAPE(EVERYTHING_PAGED), NULL, NULL);
}

varve_write_options everything_options(void)
{
    static const varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = -70000 },
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = 0.1 },
        { .name = "done", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
        { .name = "note", .kind = VARVE_METADATA_STRING,
            .string = "gr\xc3\xbc\xc3\x9f" "e" },
    };
    return (varve_write_options){ .metadata = metadata, .metadata_count = 4 };
}

/* --- Values --------------------------------------------------------------- */

static struct everything_part owned(const char *name, const varve_node *node)
{
    const varve_tensor *value = node ? varve_value(node) : NULL;
    if (!value || varve_state_of(node) == VARVE_DECLARED)
        value = NULL;
    return (struct everything_part){
        .name = name,
        .data = value ? value->data : NULL,
        .dtype = value ? value->dtype : VARVE_UINT8,
        .count = value ? (size_t)varve_tensor_count(value) : 0,
    };
}

size_t everything_parts(
    struct everything *m, struct everything_part parts[EVERYTHING_PARTS])
{
    size_t count = 0;
    for (int i = 0; i < EVERYTHING_NUMBERS; i++)
        parts[count++] = (struct everything_part){
            varve_dtype_name((varve_dtype)(i + 1)), m->numbers[i],
            (varve_dtype)(i + 1), 6, false };
    const struct everything_part fixed[] = {
        { "step", &m->step, VARVE_INT64, 1, false },
        { "deep", m->deep, VARVE_INT8, 2, false },
        { "words", m->words, VARVE_STRING, 3, false },
        { "bias", m->bias, VARVE_FLOAT32, 6, false },
        { "embedding", m->embedding, VARVE_FLOAT32, 8, false },
        { "momentum", m->momentum, VARVE_FLOAT32, 6, false },
        { "cache", m->cache, VARVE_FLOAT32, 4, true },
        { "draws", &m->draws, VARVE_UINT32, 1, false },
        { "generator", m->generator, VARVE_UINT8, 16, false },
        owned("kernel 0", m->kernels[0]),
        owned("kernel 1", m->kernels[1]),
        owned("second_moment", m->second_moment),
        owned("labels", m->labels),
        { "big", m->big, VARVE_FLOAT32, m->big ? EVERYTHING_BIG : 0, false },
        owned("paged", m->paged),
    };
    memcpy(parts + count, fixed, sizeof fixed);
    return count + sizeof fixed / sizeof *fixed;
}

/* Returns the size of the numbers in an element; a complex element has two. */
static size_t number_size(varve_dtype dtype)
{
    size_t size = varve_dtype_size(dtype);
    bool is_complex = dtype == VARVE_COMPLEX64 || dtype == VARVE_COMPLEX128;
    return is_complex ? size / 2 : size;
}

static uint64_t number_at(const struct everything_part *part, unsigned seed,
    uint64_t place, size_t i)
{
    uint64_t x = (place << 40) + ((uint64_t)seed << 32) + i + 1;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 29;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    return part->dtype == VARVE_BOOL ? x & 1 : x;
}

static void store(void *to, size_t size, uint64_t number)
{
    const uint8_t u8 = (uint8_t)number;
    const uint16_t u16 = (uint16_t)number;
    const uint32_t u32 = (uint32_t)number;
    const void *from = size == 1   ? (const void *)&u8
                       : size == 2 ? (const void *)&u16
                       : size == 4 ? (const void *)&u32
                                   : (const void *)&number;
    memcpy(to, from, size);
}

static varve_string text_at(unsigned seed, uint64_t place, size_t i)
{
    return texts[(seed * 3 + place + i) % TEXTS];
}

static void fill_part(
    const struct everything_part *part, unsigned seed, uint64_t place)
{
    if (part->dtype == VARVE_STRING) {
        varve_string *strings = part->data;
        for (size_t i = 0; i < part->count; i++)
            strings[i] = text_at(seed, place, i);
        return;
    }
    size_t size = number_size(part->dtype);
    size_t count = part->count * varve_dtype_size(part->dtype) / size;
    unsigned char *to = part->data;
    for (size_t i = 0; i < count; i++)
        store(to + i * size, size, number_at(part, seed, place, i));
}

static bool part_is(
    const struct everything_part *part, unsigned seed, uint64_t place)
{
    if (part->dtype == VARVE_STRING) {
        const varve_string *strings = part->data;
        for (size_t i = 0; i < part->count; i++) {
            varve_string text = text_at(seed, place, i);
            if (strings[i].size != text.size ||
                (text.size && memcmp(strings[i].data, text.data,
                                  (size_t)text.size) != 0))
                return false;
        }
        return true;
    }
    size_t size = number_size(part->dtype);
    size_t count = part->count * varve_dtype_size(part->dtype) / size;
    const unsigned char *from = part->data;
    for (size_t i = 0; i < count; i++) {
        unsigned char expected[8];
        store(expected, size, number_at(part, seed, place, i));
        if (memcmp(from + i * size, expected, size) != 0)
            return false;
    }
    return true;
}

void everything_fill(struct everything *model, unsigned seed)
{
    struct everything_part parts[EVERYTHING_PARTS];
    size_t count = everything_parts(model, parts);
    for (size_t i = 0; i < count; i++)
        if (parts[i].data)
            fill_part(&parts[i], seed, i);
}

const char *everything_differs(struct everything *model, unsigned seed)
{
    struct everything_part parts[EVERYTHING_PARTS];
    size_t count = everything_parts(model, parts);
    for (size_t i = 0; i < count; i++) {
        bool is_missing = !parts[i].data && strcmp(parts[i].name, "big") != 0 &&
                          strcmp(parts[i].name, "paged") != 0;
        if (is_missing || (!parts[i].is_local && parts[i].data &&
                              !part_is(&parts[i], seed, i)))
            return parts[i].name;
    }
    return NULL;
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    for (; size > 0; size--)
        sum = (sum ^ *at++) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t everything_digest(struct everything *model)
{
    uint64_t sum = 1;
    struct everything_part parts[EVERYTHING_PARTS];
    size_t count = everything_parts(model, parts);
    for (size_t i = 0; i < count; i++) {
        const struct everything_part *part = &parts[i];
        sum = add_bytes(sum, &part->data, sizeof part->data);
        if (!part->data)
            continue;
        sum = add_bytes(
            sum, part->data, part->count * varve_dtype_size(part->dtype));
        const varve_string *strings = part->data;
        for (size_t k = 0; part->dtype == VARVE_STRING && k < part->count; k++)
            sum = add_bytes(sum, strings[k].data, (size_t)strings[k].size);
    }
    return sum;
}
