/* report_json.c - Writes a report as JSON. The command makes an HTML page of
 * it.
 *
 * The output is ASCII, so that names cannot send control sequences to a
 * terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/restoration.h>

#include <string.h>

#include "failure.h"
#include "findings.h"
#include "json_out.h"
#include "name.h"

static const char *const kinds[VARVE_FINDING_KINDS] = {
    [VARVE_FINDING_MATCHED] = "matched",
    [VARVE_FINDING_PENDING] = "waiting",
    [VARVE_FINDING_UNEXPECTED] = "only_in_file",
    [VARVE_FINDING_MISSING] = "only_in_program",
    [VARVE_FINDING_MISMATCHED] = "mismatched",
    [VARVE_FINDING_DAMAGED] = "damaged",
};

/* --- Members, each with a comma before it ------------------------------- */

static void report_json_add_key(struct vv_buffer *to, const char *key)
{
    vv_buffer_add_string(to, ",\"");
    vv_buffer_add_string(to, key);
    vv_buffer_add_string(to, "\":");
}

/* Adds text that is not UTF-8 in hexadecimal. Names are UTF-8, but file names
 * can contain any bytes. */
static void add_hex(struct vv_buffer *to, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    vv_buffer_add_string(to, "{\"hex\":\"");
    for (; *text; text++) {
        vv_buffer_add8(to, (uint8_t)digits[(unsigned char)*text >> 4]);
        vv_buffer_add8(to, (uint8_t)digits[(unsigned char)*text & 15]);
    }
    vv_buffer_add_string(to, "\"}");
}

static void add_any_text(struct vv_buffer *to, const char *text)
{
    if (vv_utf8_is_valid(text, strlen(text)))
        vv_json_add_ascii(to, text, strlen(text));
    else
        add_hex(to, text);
}

static void report_json_add_text(
    struct vv_buffer *to, const char *key, const char *text)
{
    if (!text)
        return;
    report_json_add_key(to, key);
    add_any_text(to, text);
}

/* Adds a number, or null if it exceeds a signed 64-bit integer, because most
 * readers could not represent it. */
static void add_count(struct vv_buffer *to, uint64_t count)
{
    if (count <= INT64_MAX)
        vv_json_add_number(to, count);
    else
        vv_buffer_add_string(to, "null");
}

static void report_json_add_number(
    struct vv_buffer *to, const char *key, uint64_t number)
{
    report_json_add_key(to, key);
    add_count(to, number);
}

static void add_true(struct vv_buffer *to, const char *key, bool is_so)
{
    if (!is_so)
        return;
    report_json_add_key(to, key);
    vv_buffer_add_string(to, "true");
}

static void add_type(struct vv_buffer *to, const char *dtype, const char *shape,
    const varve_tensor *type)
{
    if (!type)
        return;
    report_json_add_text(to, dtype, varve_dtype_name(type->dtype));
    report_json_add_key(to, shape);
    vv_buffer_add8(to, '[');
    for (uint32_t i = 0; i < type->rank; i++) {
        if (i)
            vv_buffer_add8(to, ',');
        add_count(to, type->shape[i]);
    }
    vv_buffer_add8(to, ']');
}

/* --- All of it ---------------------------------------------------------- */

static void add_finding(struct vv_buffer *to, const struct vv_finding *finding)
{
    vv_buffer_add_string(to, "{\"kind\":\"");
    vv_buffer_add_string(to, kinds[finding->kind]);
    vv_buffer_add8(to, '"');
    report_json_add_text(to, "path", finding->program_path);
    report_json_add_text(to, "file_path", finding->file_path);
    if (finding->file_node)
        report_json_add_number(to, "node", finding->file_node - 1);
    add_type(to, "dtype", "shape", finding->wanted);
    add_type(to, "dtype_saved", "shape_saved", finding->saved);
    if (finding->saved) {
        report_json_add_number(to, "bytes", finding->size);
        report_json_add_number(to, "offset", finding->offset);
    }
    if (finding->reason && *finding->reason)
        report_json_add_text(to, "reason", finding->reason);
    report_json_add_text(to, "nearest", finding->nearest);
    add_true(to, "cast", finding->is_cast);
    if (finding->inexact)
        report_json_add_number(to, "inexact", finding->inexact);
    add_true(to, "expected", finding->is_excused);
    report_json_add_text(to, "option", finding->option);
    vv_buffer_add8(to, '}');
}

/* Adds the member `left_out`, unless it would be empty. */
static void add_left_out(struct vv_buffer *to, const varve_report *report)
{
    size_t count;
    const struct vv_report_part *all = vv_report_parts(report, &count);
    if (count == 0)
        return;
    report_json_add_key(to, "left_out");
    vv_buffer_add8(to, '[');
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add_string(to, i ? ",\n{\"path\":" : "\n{\"path\":");
        add_any_text(to, all[i].path);
        report_json_add_text(to, "what", all[i].what);
        vv_buffer_add8(to, '}');
    }
    vv_buffer_add8(to, ']');
}

static void add_report(struct vv_buffer *to, const varve_report *report)
{
    size_t done = 0;
    vv_buffer_add_string(to, "{\"schema\":\"varve.report/1\"");
    report_json_add_text(to, "file", report->path);
    report_json_add_number(to, "passes", report->passes);
    report_json_add_key(to, "plan");
    vv_buffer_add_string(to, report->is_dry ? "true" : "false");
    report_json_add_key(to, "items");
    vv_buffer_add8(to, '[');
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t count;
        const struct vv_finding *list =
            vv_findings(report, (varve_finding_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            vv_buffer_add_string(to, done++ ? ",\n" : "\n");
            add_finding(to, &list[i]);
        }
    }
    vv_buffer_add8(to, ']');
    add_left_out(to, report);
    vv_buffer_add_string(to, "}\n");
}

const char *varve_report_json(varve_report *report, varve_error *error)
{
    if (!report) {
        vv_fail_none(error, "report", "varve_report_new");
        return NULL;
    }
    struct vv_buffer *json = &report->json;
    if (!json->size)
        add_report(json, report);
    const char *text = vv_buffer_string(json);
    if (!json->failed)
        return text;
    vv_buffer_clear(json);
    vv_fail_memory(error, "a report");
    return NULL;
}
