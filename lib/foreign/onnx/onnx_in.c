/* onnx_in.c - Reads the fields of a model: texts and graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_in.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "onnx_graph.h"
#include "try.h"
#include "wire.h"

/* Field numbers in the file. */
enum {
    IR_VERSION = 1,
    PRODUCER_NAME = 2,
    PRODUCER_VERSION = 3,
    DOMAIN = 4,
    MODEL_VERSION = 5,
    DOC_STRING = 6,
    GRAPH = 7,
    OPSET_IMPORT = 8,
    METADATA = 14,
    TRAINING = 20,
    FUNCTION = 25,
    CONFIGURATION = 26,
};
enum { FUNCTION_NAME = 1, FUNCTION_DOMAIN = 10, FUNCTION_OVERLOAD = 13 };

enum {
    FIRST_WITH_OPSETS = 3, /* version of the format */
    LARGEST_VERSION = 127, /* that a probe accepts */
};

static const char what[] = "a model";

/* --- Bidding -------------------------------------------------------------- */

/* Reads a key and a number or size. The contents may extend past the available
 * bytes. */
static const unsigned char *pass_field(const unsigned char *at,
    const unsigned char *end, uint64_t *key, uint64_t *value)
{
    at = vv_take_varint(at, end, key);
    return at ? vv_take_varint(at, end, value) : NULL;
}

static bool is_of_graph(uint64_t key)
{
    uint64_t field = key >> 3;
    return (key & 7) == VV_WIRE_SIZED &&
           (field == 1 || field == 2 || field == 5 ||
               (field >= 10 && field <= 16));
}

static bool is_before_graph(uint64_t key)
{
    static const unsigned char sized[] = { PRODUCER_NAME, PRODUCER_VERSION,
        DOMAIN, DOC_STRING, OPSET_IMPORT, METADATA, TRAINING, FUNCTION,
        CONFIGURATION };
    for (size_t i = 0; i < sizeof sized; i++) {
        if (key == ((uint64_t)sized[i] << 3 | VV_WIRE_SIZED))
            return true;
    }
    return key == (MODEL_VERSION << 3 | VV_WIRE_VARINT);
}

/* Returns true if the file begins with a version that is followed by a graph,
 * with only fields of a model between them. protobuf has no signature, and
 * other messages begin alike. */
static bool onnx_in_looks_like_one(const struct vv_candidate *c)
{
    const unsigned char *at = c->head, *end = c->head + c->head_size;
    uint64_t key, value, left;
    at = pass_field(at, end, &key, &value);
    if (!at || key != (IR_VERSION << 3 | VV_WIRE_VARINT) || value == 0 ||
        value > LARGEST_VERSION)
        return false;
    for (;;) {
        if (!(at = pass_field(at, end, &key, &value)))
            return false;
        left = c->size - (uint64_t)(at - c->head);
        if (key == (GRAPH << 3 | VV_WIRE_SIZED))
            break;
        if (!is_before_graph(key))
            return false;
        if ((key & 7) == VV_WIRE_VARINT)
            continue;
        if (value > (uint64_t)(end - at))
            return false;
        at += value;
    }
    uint64_t graph = value;
    return graph <= left && (at = pass_field(at, end, &key, &value)) &&
           is_of_graph(key) && value <= graph;
}

static enum vv_probe_result onnx_in_probe(const struct vv_candidate *c)
{
    if (onnx_in_looks_like_one(c))
        return VV_PROBE_LIKELY;
    return vv_text_ends_in(c->path, strlen(c->path), ".onnx") ? VV_PROBE_NAME
                                                              : VV_PROBE_NONE;
}

/* --- Texts ---------------------------------------------------------------- */

struct model {
    struct vv_onnx_values v;
    struct vv_buffer key, text;
    uint64_t ir_version;
    uint64_t trainings;
    bool has_graph, has_opset;
};

static varve_status onnx_in_add_text(
    struct model *m, const char *name, size_t size)
{
    if (m->text.failed || m->key.failed)
        return vv_fail_memory(m->v.file.window.error, "the texts of a model");
    if (size > 0)
        vv_draft_text(m->v.draft, name, size,
            m->text.size ? (const char *)m->text.data : "", m->text.size);
    return VARVE_OK;
}

static varve_status onnx_in_take_text(
    struct model *m, const struct vv_wire_spot *spot)
{
    static const char *const names[] = {
        [PRODUCER_NAME] = "onnx.producer_name",
        [PRODUCER_VERSION] = "onnx.producer_version",
        [DOMAIN] = "onnx.domain",
        [DOC_STRING] = "onnx.doc_string",
    };
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    m->text.size = 0;
    VV_TRY(vv_wire_file_take(&m->v.file, spot->part, &m->text));
    return m->text.size > 0 ? onnx_in_add_text(m, names[spot->number],
                                  strlen(names[spot->number]))
                            : VARVE_OK;
}

static varve_status take_version(
    struct model *m, const struct vv_wire_spot *spot, const char *name)
{
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_VARINT, what));
    bool is_negative = spot->value > INT64_MAX;
    m->text.size = 0;
    if (is_negative)
        vv_buffer_add8(&m->text, '-');
    vv_buffer_add_decimal(
        &m->text, is_negative ? 0 - spot->value : spot->value);
    return onnx_in_add_text(m, name, strlen(name));
}

/* Reads fields 1 and 2 of a message: a key, and a text or a number. */
static varve_status take_pair(struct model *m, struct vv_wire_part message,
    enum vv_wire_type second, uint64_t *number)
{
    struct vv_wire_spot spot;
    m->key.size = m->text.size = 0;
    while (message.at < message.end) {
        VV_TRY(vv_wire_file_next(&m->v.file, &message, what, &spot));
        if (spot.number != 1 && spot.number != 2)
            continue;
        VV_TRY(vv_wire_file_expect(&m->v.file, &spot,
            spot.number == 1 ? VV_WIRE_SIZED : second, what));
        struct vv_buffer *to = spot.number == 1 ? &m->key : &m->text;
        to->size = 0;
        if (spot.type == VV_WIRE_SIZED)
            VV_TRY(vv_wire_file_take(&m->v.file, spot.part, to));
        else
            *number = spot.value;
    }
    return VARVE_OK;
}

static varve_status take_opset(struct model *m, const struct vv_wire_spot *spot)
{
    struct vv_buffer name;
    struct vv_wire_spot version = { .type = VV_WIRE_VARINT };
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    VV_TRY(take_pair(m, spot->part, VV_WIRE_VARINT, &version.value));
    m->has_opset = true;
    vv_buffer_init(&name, m->key.allocator);
    vv_buffer_add_string(&name, "onnx.opset.");
    if (m->key.size > 0)
        vv_buffer_add(&name, m->key.data, m->key.size);
    else
        vv_buffer_add_string(&name, "ai.onnx");
    varve_status status = take_version(m, &version, vv_buffer_string(&name));
    vv_buffer_clear(&name);
    return status;
}

static varve_status onnx_in_take_metadata(
    struct model *m, const struct vv_wire_spot *spot)
{
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    VV_TRY(take_pair(m, spot->part, VV_WIRE_SIZED, NULL));
    return onnx_in_add_text(m, (const char *)m->key.data, m->key.size);
}

/* --- Graphs --------------------------------------------------------------- */

static varve_status take_graph(struct model *m, const struct vv_wire_spot *spot)
{
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    if (m->has_graph)
        return vv_fail(m->v.file.window.error, VARVE_CORRUPT,
            "%s: offset %" PRIu64 ": the model has a second graph",
            m->v.file.window.foreign->files[0].path, spot->part.at);
    m->has_graph = true;
    return vv_onnx_graph_read(&m->v, VV_ONNX_GRAPH, spot->part, NULL);
}

/* Sets `text` to `functions/<domain>.<name>`, followed by `:<overload>` if
 * there is one. */
static varve_status name_function(struct model *m, struct vv_wire_part message)
{
    static const unsigned char fields[] = { FUNCTION_DOMAIN, FUNCTION_NAME,
        FUNCTION_OVERLOAD };
    static const char *const before[] = { "functions/", ".", ":" };
    struct vv_wire_part parts[3] = { { 0, 0 } };
    struct vv_wire_spot spot;
    while (message.at < message.end) {
        VV_TRY(vv_wire_file_next(&m->v.file, &message, "a function", &spot));
        for (size_t i = 0; i < 3; i++) {
            if (spot.number == fields[i])
                parts[i] = spot.part;
        }
    }
    m->text.size = 0;
    for (size_t i = 0; i < 3; i++) {
        if (i < 2 || parts[i].end > parts[i].at)
            vv_buffer_add_string(&m->text, before[i]);
        VV_TRY(vv_wire_file_take(&m->v.file, parts[i], &m->text));
    }
    return VARVE_OK;
}

static varve_status take_function(
    struct model *m, const struct vv_wire_spot *spot)
{
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    VV_TRY(name_function(m, spot->part));
    const char *name = vv_buffer_string(&m->text);
    return vv_onnx_graph_read(&m->v, VV_ONNX_FUNCTION, spot->part, name);
}

static varve_status take_training(
    struct model *m, const struct vv_wire_spot *spot)
{
    VV_TRY(vv_wire_file_expect(&m->v.file, spot, VV_WIRE_SIZED, what));
    m->text.size = 0;
    vv_buffer_add_string(&m->text, "training/");
    vv_buffer_add_decimal(&m->text, m->trainings++);
    const char *name = vv_buffer_string(&m->text);
    return vv_onnx_graph_read(&m->v, VV_ONNX_TRAINING, spot->part, name);
}

/* --- Entry points --------------------------------------------------------- */

static varve_status onnx_in_take_field(
    struct model *m, const struct vv_wire_spot *spot)
{
    switch (spot->number) {
    case IR_VERSION:
        m->ir_version = spot->value;
        return take_version(m, spot, "onnx.ir_version");
    case PRODUCER_NAME:
    case PRODUCER_VERSION:
    case DOMAIN:
    case DOC_STRING: return onnx_in_take_text(m, spot);
    case MODEL_VERSION: return take_version(m, spot, "onnx.model_version");
    case GRAPH: return take_graph(m, spot);
    case OPSET_IMPORT: return take_opset(m, spot);
    case METADATA: return onnx_in_take_metadata(m, spot);
    case TRAINING: return take_training(m, spot);
    case FUNCTION: return take_function(m, spot);
    default: return VARVE_OK;
    }
}

/* A file that was truncated between two fields is a valid message, so the
 * fields that every model has must be present. */
static varve_status check_whole(const struct model *m)
{
    const char *missing = !m->ir_version  ? "an ir_version"
                          : !m->has_graph ? "a graph"
                                          : "an opset_import";
    if (m->ir_version && m->has_graph &&
        (m->has_opset || m->ir_version < FIRST_WITH_OPSETS))
        return VARVE_OK;
    return vv_fail(m->v.file.window.error, VARVE_TRUNCATED,
        "%s: the ONNX model ends without %s",
        m->v.file.window.foreign->files[0].path, missing);
}

static varve_status onnx_in_take_all(struct model *m)
{
    struct vv_wire_part rest = { 0, m->v.file.window.foreign->files[0].size };
    struct vv_wire_spot spot;
    while (rest.at < rest.end && !m->v.draft->failed) {
        VV_TRY(vv_wire_file_next(&m->v.file, &rest, what, &spot));
        VV_TRY(onnx_in_take_field(m, &spot));
    }
    return m->v.draft->failed ? VARVE_OK : check_whole(m);
}

static varve_status onnx_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct model m = { .ir_version = 0 };
    varve_status status = vv_onnx_values_init(&m.v, foreign, draft, error);
    vv_buffer_init(&m.key, &foreign->context->allocator);
    vv_buffer_init(&m.text, &foreign->context->allocator);
    if (!status)
        status = onnx_in_take_all(&m);
    vv_buffer_clear(&m.key);
    vv_buffer_clear(&m.text);
    vv_onnx_values_clear(&m.v);
    return status;
}

const struct vv_foreign_format vv_onnx_format = {
    .format = VARVE_FORMAT_ONNX,
    .probe = onnx_in_probe,
    .open = onnx_in_open_source,
};
