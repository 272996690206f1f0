/* golden.c - Compares a program with a golden file: names by a dry run, values
 * by two snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/golden.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <varve/restoration.h>
#include <varve/snapshot.h>

#include "buffer.h"
#include "convert.h"
#include "failure.h"
#include "graph.h"
#include "snapshot.h"
#include "try.h"
#include "typed_memory.h"

struct golden {
    const char *path; /* of the file */
    const varve_golden_options *options;
    varve_snapshot *file;
    varve_snapshot *program;
    struct vv_buffer text; /* the line for one value */
    varve_error error;     /* lists all values that differ */
};

static const varve_golden_options golden_usual;

/* --- Elements ----------------------------------------------------------- */

static bool golden_is_real(varve_dtype dtype)
{
    return vv_convert_is_possible(dtype, VARVE_FLOAT64) &&
           !vv_convert_is_widening(dtype, VARVE_INT64) &&
           !vv_convert_is_widening(dtype, VARVE_UINT64);
}

static const varve_tolerance *golden_tolerance(
    const struct golden *g, varve_dtype dtype)
{
    for (size_t i = 0; i < g->options->tolerance_count; i++) {
        const varve_tolerance *t = &g->options->tolerances[i];
        if (t->dtype == dtype || (!t->dtype && golden_is_real(dtype)))
            return t;
    }
    return NULL;
}

static bool golden_is_near(double is, double wanted, const varve_tolerance *t)
{
    double distance = is > wanted ? is - wanted : wanted - is;
    double size = wanted < 0 ? -wanted : wanted;
    return is == wanted || (is != is && wanted != wanted) ||
           distance <= t->absolute + t->relative * size;
}

static bool golden_is_equal(varve_dtype dtype, const unsigned char *is,
    const unsigned char *wanted, const varve_tolerance *t)
{
    double a[2], b[2];
    if (memcmp(is, wanted, varve_dtype_size(dtype)) == 0)
        return true;
    if (!t)
        return false;
    vv_convert(VARVE_COMPLEX128, a, dtype, is, 1);
    vv_convert(VARVE_COMPLEX128, b, dtype, wanted, 1);
    return golden_is_near(a[0], b[0], t) && golden_is_near(a[1], b[1], t);
}

static void golden_add_element(
    struct vv_buffer *to, varve_dtype dtype, const void *element)
{
    double parts[2];
    char text[80];
    if (dtype == VARVE_UINT64) {
        uint64_t number;
        memcpy(&number, element, sizeof number);
        snprintf(text, sizeof text, "%" PRIu64, number);
    } else if (!golden_is_real(dtype)) {
        int64_t number;
        vv_convert(VARVE_INT64, &number, dtype, element, 1);
        snprintf(text, sizeof text, "%" PRId64, number);
    } else {
        vv_convert(VARVE_COMPLEX128, parts, dtype, element, 1);
        parts[0] = parts[0] == parts[0] ? parts[0] : (double)NAN;
        bool is_complex = dtype == VARVE_COMPLEX64 || dtype == VARVE_COMPLEX128;
        size_t single = is_complex ? 8 : 4;
        int digits = varve_dtype_size(dtype) <= single ? 9 : 17;
        snprintf(text, sizeof text, is_complex ? "%.*g%+.*gi" : "%.*g", digits,
            parts[0], digits, parts[1]);
    }
    vv_buffer_add_string(to, text);
}

static void golden_add_position(
    struct vv_buffer *to, const varve_tensor *tensor, uint64_t index)
{
    char text[32];
    uint64_t below = varve_tensor_count(tensor);
    if (tensor->rank == 0)
        return;
    vv_buffer_add8(to, '[');
    for (uint32_t i = 0; i < tensor->rank; i++) {
        below /= tensor->shape[i];
        snprintf(text, sizeof text, "%s%" PRIu64, i ? "," : "", index / below);
        vv_buffer_add_string(to, text);
        index %= below;
    }
    vv_buffer_add8(to, ']');
}

/* --- Values ------------------------------------------------------------- */

static void golden_begin_line(
    struct golden *g, const char *name, const varve_tensor *tensor)
{
    char type[VARVE_TENSOR_TEXT_SIZE];
    g->text.size = 0;
    vv_buffer_add_string(&g->text, name);
    vv_buffer_add8(&g->text, ' ');
    vv_buffer_add_string(&g->text, varve_tensor_text(tensor, type));
    vv_buffer_add_string(&g->text, ": ");
}

/* Adds the line to the message, which has room for the first lines only. */
static void golden_end_line(struct golden *g)
{
    const char *text = vv_buffer_string(&g->text);
    if (!g->error.status)
        vv_fail(&g->error, VARVE_MISMATCH,
            "%s: values differ from the golden file", g->path);
    if (!g->text.failed)
        vv_error_add_line(&g->error, "  %s", text);
}

static void golden_add_line(struct golden *g, const char *name,
    const varve_tensor *is, const varve_tensor *wanted,
    const varve_difference *d)
{
    char text[96];
    size_t size = varve_dtype_size(is->dtype);
    size_t at = (size_t)d->first * size;
    golden_begin_line(g, name, is);
    uint64_t all = varve_tensor_count(is);
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " element%s differ%s",
        d->count, all, vv_plural_s(all), d->count == 1 ? "s" : "");
    vv_buffer_add_string(&g->text, text);
    vv_buffer_add_string(&g->text, is->rank ? ", the first at " : "");
    golden_add_position(&g->text, is, d->first);
    vv_buffer_add_string(&g->text, ": expected ");
    golden_add_element(
        &g->text, is->dtype, (const unsigned char *)wanted->data + at);
    vv_buffer_add_string(&g->text, ", found ");
    golden_add_element(
        &g->text, is->dtype, (const unsigned char *)is->data + at);
    snprintf(text, sizeof text, "; the largest difference is %.9g", d->largest);
    vv_buffer_add_string(&g->text, text);
    golden_end_line(g);
}

/* Returns the distance of two values. It is infinite if only one of them is
 * NaN. */
static double golden_distance(
    varve_dtype dtype, const void *is, const void *wanted)
{
    double a[2], b[2], most = 0;
    vv_convert(VARVE_COMPLEX128, a, dtype, is, 1);
    vv_convert(VARVE_COMPLEX128, b, dtype, wanted, 1);
    for (int i = 0; i < 2; i++) {
        double distance = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (!(distance <= most) && !(a[i] != a[i] && b[i] != b[i]))
            most = distance == distance ? distance : (double)INFINITY;
    }
    return most;
}

static void golden_compare_elements(struct golden *g, const char *name,
    const varve_tensor *is, const varve_tensor *wanted)
{
    const varve_tolerance *t = golden_tolerance(g, is->dtype);
    size_t size = varve_dtype_size(is->dtype);
    const unsigned char *one = is->data, *other = wanted->data;
    varve_difference d = { .count = 0 };
    uint64_t count = varve_tensor_count(is);
    for (uint64_t i = 0; i < count; i++, one += size, other += size) {
        if (golden_is_equal(is->dtype, one, other, t))
            continue;
        if (d.count++ == 0)
            d.first = i;
        double distance = golden_distance(is->dtype, one, other);
        if (distance > d.largest)
            d.largest = distance;
    }
    if (d.count)
        golden_add_line(g, name, is, wanted, &d);
}

/* Compares a value whose bits differ. Strings and states are not compared
 * further. */
static varve_status golden_visit(void *user, const varve_difference *d)
{
    struct golden *g = user;
    varve_tensor is, wanted;
    if (!vv_snapshot_value_of(g->program, d->node, &is) ||
        !vv_snapshot_value_of(g->file, d->node, &wanted))
        return VARVE_OK;
    if (is.dtype == VARVE_STRING || d->node->kind == VARVE_STATE) {
        golden_begin_line(g, d->path, &is);
        vv_buffer_add_string(&g->text, "the value differs");
        golden_end_line(g);
    } else {
        golden_compare_elements(g, d->path, &is, &wanted);
    }
    return VARVE_OK;
}

static varve_status golden_compare_values(struct golden *g, varve_error *error)
{
    VV_TRY(varve_snapshot_diff(g->file, g->program, golden_visit, g, error));
    if (g->text.failed)
        return vv_fail_memory(error, "a comparison with a golden file");
    return vv_pass_failure(error, &g->error);
}

/* --- Both --------------------------------------------------------------- */

static varve_status golden_compare_names(
    varve_node *root, const struct golden *g, varve_error *error)
{
    varve_restoration *plan =
        varve_dry_run(root, g->path, g->options->read, error);
    if (!plan)
        return error->status;
    varve_status status = varve_assert_consumed(plan, error);
    varve_restoration_free(plan);
    return status;
}

static varve_status golden_take(
    varve_node *root, struct golden *g, varve_error *error)
{
    varve_read_options read = { .subtree = NULL };
    if (g->options->read)
        read = *g->options->read;
    read.expect = (varve_expect_options){ .missing = NULL };
    g->program = varve_snapshot_new(root, error);
    g->file = g->program ? varve_snapshot_new(root, error) : NULL;
    return g->file ? varve_snapshot_read(g->file, g->path, &read, error)
                   : error->status;
}

varve_status varve_compare_golden(varve_node *root, const char *path,
    const varve_golden_options *options, varve_error *error)
{
    varve_error own = { .status = VARVE_OK };
    varve_error *reason = error ? error : &own;
    struct golden g = { .path = path,
        .options = options ? options : &golden_usual };
    if (!root || vv_is_nil(root) || !path)
        return vv_fail(
            reason, VARVE_MISUSE, "varve_compare_golden: node or path is NULL");
    VV_TRY(VV_CHECK_OPTIONS(options, reason));
    VV_TRY(vv_check_list(g.options->tolerances, g.options->tolerance_count,
        "tolerances", reason));
    vv_buffer_init(&g.text, &root->graph->context.allocator);
    varve_status status = golden_compare_names(root, &g, reason);
    if (!status)
        status = golden_take(root, &g, reason);
    if (!status)
        status = golden_compare_values(&g, reason);
    varve_snapshot_free(g.file);
    varve_snapshot_free(g.program);
    vv_buffer_clear(&g.text);
    return status;
}
