/* page_report.c - which finding is about which node, and in which words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_report.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "findings.h"
#include "name.h"
#include "try.h"

enum { EXCUSED = VARVE_FINDING_KINDS, MARKS };

/* By kind of finding, and behind them what is excused. */
static const varve_page_mark marks[MARKS] = {
    [VARVE_MATCHED] = { "arrived", "has its value from the file",
        VARVE_PAGE_GOOD },
    [VARVE_WAITING] = { "waits", "in the file; the program may still ask",
        VARVE_PAGE_WAITS },
    [VARVE_ONLY_IN_FILE] = { "only in the file", "nothing waits for it",
        VARVE_PAGE_APART },
    [VARVE_ONLY_IN_PROGRAM] = { "only in the program", "the file lacks it",
        VARVE_PAGE_NEW },
    [VARVE_MISMATCHED] = { "does not fit", "both have it, but it differs",
        VARVE_PAGE_BAD },
    [VARVE_DAMAGED] = { "damaged", "in the file, but not to be read",
        VARVE_PAGE_BROKEN },
    [EXCUSED] = { "excused", "not restored, and no assertion minds",
        VARVE_PAGE_QUIET },
};

struct overlay {
    varve_page_mark marks[MARKS];
    const varve_report *report;
    const varve_page_options *options; /* the caller's */
    const struct vv_finding **of_node; /* by node of the file; or NULL */
    size_t node_count;
    struct vv_buffer text;
    /* Where the rows have come to. */
    unsigned kind;
    size_t next;
};

/* --- Words -------------------------------------------------------------- */

static void begin_words(struct vv_buffer *text, const char *words)
{
    if (text->size > 0)
        vv_buffer_add_string(text, "; ");
    vv_buffer_add_string(text, words);
}

static void add_type(struct vv_buffer *text, const char *words,
    const varve_tensor *type, const char *end)
{
    char room[VARVE_TENSOR_TEXT_SIZE];
    begin_words(text, words);
    vv_buffer_add_string(text, varve_tensor_text(type, room));
    vv_buffer_add_string(text, end);
}

static void add_path(struct vv_buffer *text, const struct vv_finding *finding)
{
    const char *path = finding->program_path;
    if (!path || (finding->file_path && !strcmp(path, finding->file_path)))
        return;
    begin_words(text, "in the program: ");
    vv_buffer_add_string(text, *path ? path : "the root");
}

/* NULL where all is plain, or without memory, which is told at the end. */
static const char *words_of(
    struct vv_buffer *text, const struct vv_finding *finding)
{
    text->size = 0;
    if (finding->is_excused && finding->kind != VARVE_MISMATCHED)
        begin_words(text, marks[finding->kind].name);
    if (finding->reason && *finding->reason)
        begin_words(text, finding->reason);
    if (finding->file_path)
        add_path(text, finding);
    if (finding->wanted && finding->kind == VARVE_MISMATCHED)
        add_type(text, "the program has ", finding->wanted, "");
    if (finding->wanted && finding->is_cast)
        add_type(text, "converted to ", finding->wanted, "");
    if (finding->misfits) {
        begin_words(text, "");
        vv_buffer_add_decimal(text, finding->misfits);
        vv_buffer_add_string(text, " elements were not kept exactly");
    }
    return text->size ? vv_buffer_string(text) : NULL;
}

static varve_status fill(struct overlay *overlay, varve_page_note *note,
    const struct vv_finding *finding)
{
    unsigned mark = finding->is_excused && finding->kind != VARVE_MATCHED
                        ? (unsigned)EXCUSED
                        : (unsigned)finding->kind;
    note->mark = mark + 1;
    note->text = words_of(&overlay->text, finding);
    note->nearest = finding->nearest;
    return overlay->text.failed ? VARVE_NO_MEMORY : VARVE_OK;
}

/* --- Of nodes ----------------------------------------------------------- */

static varve_status on_node(
    void *user, const varve_saved_node *node, varve_page_note *note)
{
    struct overlay *overlay = user;
    const varve_page_options *options = overlay->options;
    const struct vv_finding *finding = overlay->of_node[node->id];
    if (finding)
        VV_TRY(fill(overlay, note, finding));
    return options && options->on_node
               ? options->on_node(options->on_node_user, node, note)
               : VARVE_OK;
}

/* --- Of what is no node ------------------------------------------------- */

/* Whether a finding stands for a rename or pattern, which matched nothing. */
static bool is_remark(const struct vv_finding *finding)
{
    return finding->kind == VARVE_MISMATCHED && !finding->file_node;
}

static void add_remark(struct vv_buffer *text, const struct vv_finding *finding)
{
    text->size = 0;
    vv_buffer_add_string(text, finding->reason);
    vv_buffer_add_string(text, ": ");
    if (finding->program_path)
        vv_buffer_add_string(text, finding->program_path);
    if (finding->program_path && finding->file_path)
        vv_buffer_add_string(text, " -> ");
    if (finding->file_path)
        vv_buffer_add_string(text, finding->file_path);
}

static varve_status fill_row(struct overlay *overlay, varve_page_row *row,
    const struct vv_finding *finding)
{
    if (is_remark(finding)) {
        add_remark(&overlay->text, finding);
        row->note.text = vv_buffer_string(&overlay->text);
        row->note.nearest = finding->nearest;
        return overlay->text.failed ? VARVE_NO_MEMORY : VARVE_OK;
    }
    row->path =
        finding->program_path ? finding->program_path : finding->file_path;
    if (finding->wanted)
        row->value = *finding->wanted;
    return fill(overlay, &row->note, finding);
}

static bool is_row(
    const struct overlay *overlay, const struct vv_finding *finding)
{
    return !finding->file_node ||
           overlay->of_node[finding->file_node - 1] != finding;
}

static varve_status on_row(void *user, size_t index, varve_page_row *row)
{
    struct overlay *overlay = user;
    (void)index;
    for (; overlay->kind < VARVE_FINDING_KINDS; overlay->kind++) {
        size_t count = 0;
        const struct vv_finding *list = vv_findings(
            overlay->report, (varve_finding_kind)overlay->kind, &count);
        while (overlay->next < count) {
            const struct vv_finding *finding = &list[overlay->next++];
            if (is_row(overlay, finding))
                return fill_row(overlay, row, finding);
        }
        overlay->next = 0;
    }
    return VARVE_NOT_FOUND;
}

/* --- The page ----------------------------------------------------------- */

/* The first finding about a node is on it, what else there is in rows. */
static void place_findings(struct overlay *overlay)
{
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t count = 0;
        const struct vv_finding *list =
            vv_findings(overlay->report, (varve_finding_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            uint32_t node = list[i].file_node;
            if (node && !overlay->of_node[node - 1])
                overlay->of_node[node - 1] = &list[i];
        }
    }
}

static varve_status check(const varve_page_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (options && (options->marks || options->on_row))
        return vv_fail(error, VARVE_MISUSE,
            "a page of a report: expected no marks and no on_row, found %s",
            options->marks ? "marks" : "on_row");
    return VARVE_OK;
}

/* The caller's, with the callbacks of the overlay. */
static varve_page_options options_of(struct overlay *overlay)
{
    varve_page_options all = { 0 };
    if (overlay->options)
        all = *overlay->options;
    memcpy(overlay->marks, marks, sizeof marks);
    if (overlay->report->is_dry)
        overlay->marks[VARVE_MATCHED].name = "would arrive";
    all.marks = overlay->marks;
    all.mark_count = MARKS;
    all.on_node = on_node;
    all.on_node_user = overlay;
    all.on_row = on_row;
    all.on_row_user = overlay;
    return all;
}

varve_status vv_page_report(varve_reader *reader, const varve_report *report,
    const char *path, const varve_page_options *options, varve_error *error)
{
    const varve_allocator *a = &report->allocator;
    struct overlay overlay = { .report = report, .options = options };
    VV_TRY(check(options, error));
    varve_page_options all = options_of(&overlay);
    overlay.node_count = varve_reader_node_count(reader);
    overlay.of_node =
        vv_allocate_zeroed(a, overlay.node_count * sizeof *overlay.of_node);
    if (!overlay.of_node)
        return vv_fail_memory(error, "the page of a report");
    vv_buffer_init(&overlay.text, a);
    place_findings(&overlay);
    varve_status status = varve_page_write(reader, path, &all, error);
    vv_buffer_clear(&overlay.text);
    vv_release(
        a, overlay.of_node, overlay.node_count * sizeof *overlay.of_node);
    return status;
}
