/* assertion.c - Checks that everything matched, and lists all paths that did
 * not in one message.
 *
 * SPDX-License-Identifier: MIT
 */
#include "assertion.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "findings.h"
#include "report.h"
#include "scope.h"

/* Returns true if a finding that is not a match is a value of the file that the
 * program does not use. */
static bool is_unused(const struct vv_finding *finding)
{
    return !finding->is_excused && finding->saved;
}

/* Returns true if a finding is a variable of the program that was not restored.
 */
static bool assertion_is_missing(const struct vv_finding *finding)
{
    return !finding->is_excused && finding->program_path &&
           !finding->is_restored;
}

typedef bool does_count(const struct vv_finding *finding);

static size_t count_findings(const varve_report *report, does_count *counts)
{
    size_t sum = 0;
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t count;
        const struct vv_finding *findings =
            vv_findings(report, (varve_finding_kind)kind, &count);
        for (size_t i = 0; i < count; i++)
            sum += counts(&findings[i]);
    }
    return sum;
}

static bool assertion_add_lines(
    const varve_report *report, does_count *counts, varve_error *error)
{
    struct vv_buffer line;
    vv_buffer_init(&line, &report->allocator);
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t count;
        const struct vv_finding *findings =
            vv_findings(report, (varve_finding_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            if (!counts(&findings[i]))
                continue;
            line.size = 0;
            vv_add_finding_line(&line, &findings[i]);
            const char *text = vv_buffer_string(&line);
            if (line.failed || !vv_error_add_line(error, "  %s", text))
                goto done;
        }
    }
done:;
    bool has_memory = !line.failed;
    vv_buffer_clear(&line);
    return has_memory;
}

/* Adds the parts of the file that the reader left out, which may be the reason
 * for missing values. They come before the paths, which may fill the message.
 */
static bool add_left_out_lines(const varve_report *report, varve_error *error)
{
    enum { MOST = 4 };
    size_t count;
    const struct vv_report_part *all = vv_report_parts(report, &count);
    struct vv_buffer line;
    vv_buffer_init(&line, &report->allocator);
    for (size_t i = 0; i < count && i < MOST && !line.failed; i++) {
        line.size = 0;
        vv_add_part_line(&line, &all[i]);
        vv_error_add_line(
            error, "  left out by the reader: %s", vv_buffer_string(&line));
    }
    if (count > MOST)
        vv_error_add_line(
            error, "  left out by the reader: %zu more", count - MOST);
    bool has_memory = !line.failed;
    vv_buffer_clear(&line);
    return has_memory;
}

static varve_status expect_program(
    const struct vv_delivery *d, varve_error *error)
{
    if (d->pairing->graph && d->pairing->root)
        return VARVE_OK;
    return vv_fail(error, VARVE_UNMATCHED,
        "%s: the graph to restore into was freed", d->file->path);
}

static bool is_either(const struct vv_finding *finding)
{
    return is_unused(finding) || assertion_is_missing(finding);
}

static bool is_pattern(const struct vv_finding *finding)
{
    return finding->option != NULL;
}

/* Returns true if a finding is a pattern of `expect` that matched nothing. */
static bool is_pattern_of_expect(const struct vv_finding *finding)
{
    return is_pattern(finding) && strncmp(finding->option, "expect.", 7) == 0;
}

/* Adds the renames that matched nothing and that no line names yet. */
static void add_unused_renames(const varve_report *report, varve_error *error)
{
    size_t count;
    const struct vv_finding *all =
        vv_findings(report, VARVE_FINDING_MISMATCHED, &count);
    for (size_t i = 0; i < count && error; i++) {
        char text[512];
        if (!all[i].is_unused || is_pattern(&all[i]))
            continue;
        snprintf(text, sizeof text, "\"%.200s -> %.200s\"", all[i].program_path,
            all[i].file_path);
        if (!strstr(error->message, text))
            vv_error_add_line(error,
                "  the rename %s matched nothing: both sides are paths from "
                "the root, the left one of the program",
                text);
    }
}

/* Fails if any findings count. The message has one line with the number on each
 * side, then one line for each finding, and with `of_the_file` one for each
 * pattern of `expect` and each rename that matched nothing. */
static varve_status require(
    const varve_report *report, bool of_the_file, varve_error *error)
{
    size_t unused = of_the_file ? count_findings(report, is_unused) : 0;
    size_t missing = count_findings(report, assertion_is_missing);
    char words[2][128] = { "", "" };
    if (unused == 0 && missing == 0)
        return VARVE_OK;
    if (unused)
        snprintf(words[0], sizeof words[0],
            "%zu of %zu saved value%s %s unexpected", unused,
            report->value_count, vv_plural_s(report->value_count),
            unused == 1 ? "is" : "are");
    if (missing)
        snprintf(words[1], sizeof words[1],
            "%zu of %zu variable%s of the program %s missing", missing,
            report->variable_count, vv_plural_s(report->variable_count),
            missing == 1 ? "is" : "are");
    vv_fail(error, VARVE_UNMATCHED, "%s: %s%s%s", report->path, words[0],
        unused && missing ? ", " : "", words[1]);
    if (!add_left_out_lines(report, error) ||
        !assertion_add_lines(
            report, of_the_file ? is_either : assertion_is_missing, error) ||
        (of_the_file &&
            !assertion_add_lines(report, is_pattern_of_expect, error)))
        return vv_fail_memory(error, "the paths that did not match");
    if (of_the_file)
        add_unused_renames(report, error);
    return VARVE_UNMATCHED;
}

/* Returns true if `only` matches a value of the file, or a variable of the
 * program that the file has, regardless of `except`. */
static bool leaves_something(const struct vv_pairing *p)
{
    const struct vv_index *index = vv_index_of(p);
    bool found = false;
    for (uint32_t v = 0; v < index->value_count && !found; v++) {
        uint32_t file = vv_at32(index->value_nodes, v);
        const varve_node *node = p->matches.node_of[file];
        if (vv_saved_path_exists(&p->saved.paths, file))
            found =
                node ? vv_spread_has_any(&p->scopes.of[VV_ONLY], node->number)
                     : vv_spread_has_any(&p->scopes.of[VV_SAVED_ONLY], file) ||
                           vv_scope_wants(&p->scopes, vv_index_of(p), file);
    }
    return found;
}

static bool is_pattern_of_only(const struct vv_finding *finding)
{
    return is_pattern(finding) && strcmp(finding->option, "only") == 0;
}

/* Fails if `only`, or one of its patterns, matches nothing, because a typing
 * error must not look like a successful restore. */
static varve_status require_any(
    const struct vv_delivery *d, const varve_report *report, varve_error *error)
{
    const char *only = d->pairing->selection.only;
    bool has_any = !only || leaves_something(d->pairing);
    size_t count = only ? count_findings(report, is_pattern_of_only) : 0;
    if (has_any && count == 0)
        return VARVE_OK;
    if (has_any)
        vv_fail(error, VARVE_UNMATCHED,
            "%s: %zu pattern%s of `only` match%s nothing:", d->file->path,
            count, vv_plural_s(count), count == 1 ? "es" : "");
    else
        vv_fail(error, VARVE_UNMATCHED,
            "%s: `only` selects nothing: \"%.200s\" matches no value",
            d->file->path, only);
    if (!assertion_add_lines(
            report, has_any ? is_pattern_of_only : is_pattern, error))
        return vv_fail_memory(error, "the patterns that did not match");
    return VARVE_UNMATCHED;
}

varve_status vv_assert_matched(
    const struct vv_delivery *d, bool of_the_file, varve_error *error)
{
    varve_status status = expect_program(d, error);
    if (status)
        return status;
    varve_report *report = vv_report_make(d,
        VV_NEAREST_OF_PROGRAM | VV_FOR_MESSAGE |
            (of_the_file ? VV_NEAREST_OF_FILE | VV_NEAREST_OF_PATTERNS : 0),
        error);
    if (!report)
        return VARVE_NO_MEMORY;
    if (of_the_file)
        status = require_any(d, report, error);
    if (!status)
        status = require(report, of_the_file, error);
    varve_report_free(report);
    return status;
}

varve_status vv_count_unused(
    const struct vv_delivery *d, size_t *count, varve_error *error)
{
    varve_report *report = vv_report_make(d, 0, error);
    if (!report)
        return VARVE_NO_MEMORY;
    *count = count_findings(report, is_unused);
    varve_report_free(report);
    return VARVE_OK;
}

/* Returns true if a finding is a variable without any value in the file. */
static bool is_not_found(const struct vv_finding *finding)
{
    return assertion_is_missing(finding) && !finding->saved;
}

varve_status vv_assert_found(const struct vv_delivery *d, varve_error *error)
{
    varve_report *report = vv_report_make(
        d, VV_AS_PLANNED | VV_NEAREST_OF_PROGRAM | VV_FOR_MESSAGE, error);
    if (!report)
        return VARVE_NO_MEMORY;
    size_t count = count_findings(report, is_not_found);
    varve_status status = VARVE_OK;
    if (count) {
        status = vv_fail(error, VARVE_UNMATCHED,
            "%s: %zu of %zu name%s %s missing in the file:", report->path,
            count, report->variable_count, vv_plural_s(report->variable_count),
            count == 1 ? "is" : "are");
        if (!add_left_out_lines(report, error) ||
            !assertion_add_lines(report, is_not_found, error))
            status = vv_fail_memory(error, "the names that are missing");
    }
    varve_report_free(report);
    return status;
}

bool vv_has_any_match(const struct vv_delivery *d)
{
    const struct vv_pairing *p = d->pairing;
    for (uint32_t f = 0; f < vv_index_of(p)->node_count; f++) {
        const varve_node *node = p->matches.node_of[f];
        uint32_t value = vv_value_of(p, f);
        if ((node && node != p->root) ||
            (value != VV_NONE && vv_is_delivered(&d->delivery_states, value)))
            return true;
    }
    return false;
}

varve_status vv_assert_any(const struct vv_delivery *d, varve_error *error)
{
    varve_report *report = vv_report_make(
        d, VV_NEAREST_OF_FILE | VV_NEAREST_OF_PROGRAM | VV_FOR_MESSAGE, error);
    varve_status status = VARVE_OK;
    if (!report)
        return VARVE_NO_MEMORY;
    if (count_findings(report, assertion_is_missing) > 0) {
        status = vv_fail(error, VARVE_UNMATCHED,
            "%s: this checkpoint is of another program: nothing in it matches",
            report->path);
        if (!add_left_out_lines(report, error) ||
            !assertion_add_lines(report, is_either, error))
            status = vv_fail_memory(error, "the paths that did not match");
    }
    varve_report_free(report);
    return status;
}

varve_status vv_assert_nontrivial(
    const struct vv_delivery *d, varve_error *error)
{
    varve_status status = expect_program(d, error);
    if (status)
        return status;
    varve_report *report = vv_report_make(d, VV_NEAREST_OF_PATTERNS, error);
    if (!report)
        return VARVE_NO_MEMORY;
    status = require_any(d, report, error);
    varve_report_free(report);
    if (status)
        return status;
    for (uint32_t f = 0; f < vv_index_of(d->pairing)->node_count; f++) {
        uint32_t value = vv_value_of(d->pairing, f);
        if ((d->pairing->matches.node_of[f] &&
                d->pairing->matches.node_of[f] != d->pairing->root) ||
            (f != d->pairing->saved.root && value != VV_NONE &&
                vv_is_delivered(&d->delivery_states, value)))
            return VARVE_OK;
    }
    return vv_fail(error, VARVE_UNMATCHED,
        "%s: nothing matches except the root", d->file->path);
}
