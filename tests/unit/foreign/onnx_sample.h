/* onnx_sample.h - Builds protobuf messages field by field, and ONNX models from
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_ONNX_SAMPLE_H
#define UNIT_ONNX_SAMPLE_H

#include "onnx_values.h"
#include "readers.h"

#define MODEL_PATH "model.onnx"

enum { T_FLOAT = 1, T_UINT8 = 2, T_INT32 = 6, T_INT64 = 7, T_STRING = 8,
    T_BOOL = 9, T_INT4 = 22, T_FLOAT6 = 27 };

/* --- Messages ------------------------------------------------------------- */

static inline void put_varint(struct vv_buffer *b, uint64_t number)
{
    for (; number > 127; number >>= 7)
        vv_buffer_add8(b, (uint8_t)(number | 128));
    vv_buffer_add8(b, (uint8_t)number);
}

static inline void put_number(
    struct vv_buffer *b, uint32_t field, uint64_t number)
{
    put_varint(b, (uint64_t)field << 3);
    put_varint(b, number);
}

static inline void put_bytes(
    struct vv_buffer *b, uint32_t field, const void *bytes, size_t size)
{
    put_varint(b, (uint64_t)field << 3 | VV_WIRE_SIZED);
    put_varint(b, size);
    if (size > 0)
        vv_buffer_add(b, bytes, size);
}

static inline void put_text(
    struct vv_buffer *b, uint32_t field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}

/* Adds a nested message, which is freed. */
static inline void put_message(
    struct vv_buffer *b, uint32_t field, struct vv_buffer *message)
{
    put_bytes(b, field, message->data, message->size);
    vv_buffer_clear(message);
}

static inline void put_pair(struct vv_buffer *b, uint32_t field,
    const char *key, const char *value)
{
    struct vv_buffer pair = new_bytes();
    put_text(&pair, 1, key);
    put_text(&pair, 2, value);
    put_message(b, field, &pair);
}

/* --- Models --------------------------------------------------------------- */

/* Returns a tensor of one dimension with its raw_data, unless that is NULL. */
static inline struct vv_buffer new_tensor(const char *name, uint64_t type,
    uint64_t extent, const void *raw, size_t size)
{
    struct vv_buffer t = new_bytes();
    put_number(&t, 1, extent);
    put_number(&t, 2, type);
    put_text(&t, 8, name);
    if (raw)
        put_bytes(&t, 9, raw, size);
    return t;
}

/* Returns a model with a graph, which is freed. */
static inline struct vv_buffer new_model(struct vv_buffer *graph)
{
    struct vv_buffer m = new_bytes(), opset = new_bytes();
    put_number(&m, 1, 10);
    put_message(&m, 7, graph);
    put_number(&opset, 2, 21);
    put_message(&m, 8, &opset);
    return m;
}

/* Returns a model with a tensor, which is freed, as its only initializer. */
static inline struct vv_buffer new_model_of(struct vv_buffer *tensor)
{
    struct vv_buffer graph = new_bytes();
    put_message(&graph, 5, tensor);
    return new_model(&graph);
}

/* --- Separate parts ------------------------------------------------------- */

/* A message as a file of its own. */
struct part {
    struct world w;
    struct vv_foreign *foreign;
    struct vv_wire_file file;
    struct vv_wire_part message;
    varve_error error;
};

static inline void part_begin(struct part *p, const struct vv_buffer *bytes)
{
    *p = (struct part){ .w = world_new() };
    p->foreign = world_foreign(&p->w, MODEL_PATH, bytes);
    p->foreign->context = &p->w.context;
    p->file = (struct vv_wire_file){ .window = { .foreign = p->foreign,
        .error = &p->error } };
    p->message = (struct vv_wire_part){ 0, bytes->size };
}

static inline void part_end(struct part *p)
{
    vv_foreign_free(p->foreign);
    world_free(&p->w);
}

#endif
