/* findings.c - Returns the findings of a report, and writes a report as text
 * and as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "findings.h"

#include <string.h>

#include <varve/restoration.h>

#include "failure.h"
#include "json_out.h"
#include "name.h"

/* --- Findings and text ---------------------------------------------------- */

/* Returns the findings of a report, and writes them as text. */

static const char *const headings[VARVE_FINDING_KINDS] = {
    "matched",
    "pending",
    "only in the file",
    "only in the program",
    "mismatched",
    "damaged",
};

const struct vv_finding *vv_findings(
    const varve_report *report, varve_finding_kind kind, size_t *count)
{
    const struct vv_buffer *list = &report->findings[kind];
    *count = list->size / sizeof(struct vv_finding);
    return (const struct vv_finding *)(const void *)list->data;
}

size_t varve_report_count(const varve_report *report, varve_finding_kind kind)
{
    return report && (unsigned)kind < VARVE_FINDING_KINDS ? report->counts[kind]
                                                          : 0;
}

bool varve_report_at(const varve_report *report, varve_finding_kind kind,
    size_t index, varve_finding *finding)
{
    if (!report)
        return false;
    static const varve_tensor nothing;
    size_t count = 0;
    if ((unsigned)kind >= VARVE_FINDING_KINDS)
        return false;
    const struct vv_finding *from = vv_findings(report, kind, &count);
    if (index >= count)
        return false;
    from += index;
    *finding = (varve_finding){
        .kind = kind,
        .program_path = from->program_path,
        .file_path = from->file_path,
        .saved = from->saved ? *from->saved : nothing,
        .wanted = from->wanted ? *from->wanted : nothing,
        .size = from->size,
        .offset = from->offset,
        .reason = from->reason ? from->reason : "",
        .nearest = from->nearest,
        .cast = from->is_cast,
        .inexact = from->inexact,
        .expected = from->is_excused,
        .option = from->option,
    };
    return true;
}

/* Pads to a number of characters, not bytes. */
static void add_padded(struct vv_buffer *text, const char *word, size_t width)
{
    size_t characters = 0;
    for (const char *c = word; *c; c++)
        characters += ((unsigned char)*c & 0xc0) != 0x80;
    vv_buffer_add_string(text, word);
    for (; characters < width; characters++)
        vv_buffer_add8(text, ' ');
}

static void add_types(struct vv_buffer *text, const struct vv_finding *finding)
{
    char word[2 * VARVE_TENSOR_TEXT_SIZE + 32], wanted[VARVE_TENSOR_TEXT_SIZE];
    const varve_tensor *first =
        finding->saved ? finding->saved : finding->wanted;
    bool are_two = finding->kind == VARVE_FINDING_MISMATCHED &&
                   finding->saved && finding->wanted;
    word[0] = '\0';
    if (first)
        varve_tensor_text(first, word);
    /* If both texts are equal, the reason contains the difference. */
    if (are_two)
        are_two = strcmp(word, varve_tensor_text(finding->wanted, wanted)) != 0;
    if (are_two) {
        strcat(word, " in the file, ");
        strcat(word, wanted);
        strcat(word, " in the program");
        if (finding->reason && *finding->reason)
            strcat(word, ":");
    }
    add_padded(text, word, are_two ? 0 : 18);
}

void vv_add_finding_line(
    struct vv_buffer *text, const struct vv_finding *finding)
{
    const char *path = finding->program_path;
    const char *from = finding->file_path;
    add_padded(text, path ? path : from ? from : "", 30);
    if (path && from && strcmp(path, from) != 0) {
        vv_buffer_add_string(text, " <- ");
        vv_buffer_add_string(text, from);
    }
    vv_buffer_add8(text, ' ');
    add_types(text, finding);
    if (finding->reason && *finding->reason) {
        vv_buffer_add8(text, ' ');
        vv_buffer_add_string(text, finding->reason);
    }
    if (finding->nearest) {
        vv_buffer_add_string(text, " (nearest: \"");
        vv_buffer_add_string(text, finding->nearest);
        vv_buffer_add_string(text, "\")");
    }
    if (finding->inexact) {
        vv_buffer_add_string(text, " (");
        vv_buffer_add_decimal(text, finding->inexact);
        vv_buffer_add_string(text, finding->inexact == 1
                                       ? " value not kept exactly)"
                                       : " values not kept exactly)");
    }
    if (finding->is_excused && !finding->is_unused)
        vv_buffer_add_string(text, " [expected]");
    while (text->size && text->data[text->size - 1] == ' ')
        text->size--;
}

const struct vv_report_part *vv_report_parts(
    const varve_report *report, size_t *count)
{
    *count = report->left_out.size / sizeof(struct vv_report_part);
    return (const struct vv_report_part *)(const void *)report->left_out.data;
}

void vv_add_part_line(struct vv_buffer *text, const struct vv_report_part *part)
{
    vv_buffer_add_string(text, *part->path ? part->path : "/");
    vv_buffer_add_string(text, ": ");
    vv_buffer_add_string(text, part->what);
}

static void write_left_out(const varve_report *report, struct vv_buffer *text)
{
    size_t count;
    const struct vv_report_part *all = vv_report_parts(report, &count);
    if (count > 0)
        vv_buffer_add_string(text, "left out by the reader:\n");
    for (size_t i = 0; i < count; i++) {
        vv_buffer_add_string(text, "  ");
        vv_add_part_line(text, &all[i]);
        vv_buffer_add8(text, '\n');
    }
}

/* Returns false for an ordinary match, which is only counted. */
static bool is_worth_a_line(const struct vv_finding *finding)
{
    return finding->kind != VARVE_FINDING_MATCHED || finding->is_cast ||
           (finding->reason && *finding->reason) ||
           (finding->program_path && finding->file_path &&
               strcmp(finding->program_path, finding->file_path) != 0);
}

/* The heading of renames and patterns that matched nothing. They are mismatched
 * findings, but the text has them apart, because no type or shape differs. */
static const char unused_heading[] = "unused in the options";

static size_t count_unused(const varve_report *report)
{
    size_t count, found = 0;
    const struct vv_finding *findings =
        vv_findings(report, VARVE_FINDING_MISMATCHED, &count);
    for (size_t i = 0; i < count; i++)
        found += findings[i].is_unused;
    return found;
}

static void write_count(
    struct vv_buffer *text, const char *before, size_t count, const char *what)
{
    vv_buffer_add_string(text, before);
    vv_buffer_add_decimal(text, count);
    vv_buffer_add8(text, ' ');
    vv_buffer_add_string(text, what);
}

static void write_counts(const varve_report *report, struct vv_buffer *text)
{
    size_t unused = count_unused(report);
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t count = report->counts[kind];
        if (kind == VARVE_FINDING_DAMAGED && count == 0)
            continue; /* rare: only with the option `salvage` */
        if (kind == VARVE_FINDING_MISMATCHED)
            count -= unused;
        write_count(text, kind ? ", " : ": ", count, headings[kind]);
    }
    if (unused > 0)
        write_count(text, ", ", unused, unused_heading);
    vv_buffer_add8(text, '\n');
}

static void write_lines(const varve_report *report, varve_finding_kind kind,
    bool of_unused, const char *heading, struct vv_buffer *text)
{
    size_t count;
    const struct vv_finding *findings = vv_findings(report, kind, &count);
    bool has_heading = false;
    for (size_t i = 0; i < count; i++) {
        if (findings[i].is_unused != of_unused ||
            !is_worth_a_line(&findings[i]))
            continue;
        if (!has_heading) {
            vv_buffer_add_string(text, heading);
            vv_buffer_add_string(text, ":\n");
            has_heading = true;
        }
        vv_buffer_add_string(text, "  ");
        vv_add_finding_line(text, &findings[i]);
        vv_buffer_add8(text, '\n');
    }
}

bool vv_report_write(varve_report *report)
{
    struct vv_buffer *text = &report->text;
    text->size = 0;
    vv_buffer_add_string(text, report->path);
    write_counts(report, text);
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++)
        write_lines(
            report, (varve_finding_kind)kind, false, headings[kind], text);
    write_lines(report, VARVE_FINDING_MISMATCHED, true, unused_heading, text);
    write_left_out(report, text);
    vv_buffer_string(text);
    return !text->failed;
}

const char *varve_report_text(const varve_report *report)
{
    return report ? (const char *)report->text.data : NULL;
}

/* --- JSON ----------------------------------------------------------------- */

/* Writes a report as JSON. The command makes an HTML page of it.
 *
 * The output is ASCII, so that names cannot send control sequences to a
 * terminal. */

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
