/* findings.c - Returns the findings of a report, and writes them as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "findings.h"

#include <string.h>

#include "name.h"

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
