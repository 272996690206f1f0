/* unused_pattern.c - Adds a finding for each rename or pattern that matched
 * nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unused_pattern.h"

#include <string.h>

#include "scope.h"

static bool unused_pattern_add(
    varve_report *report, const struct vv_finding *finding)
{
    struct vv_buffer *list = &report->findings[VARVE_FINDING_MISMATCHED];
    report->counts[VARVE_FINDING_MISMATCHED]++;
    vv_buffer_add(list, finding, sizeof *finding);
    return (finding->program_path || finding->file_path) && !list->failed;
}

static bool unused_pattern_add_rename(
    varve_report *report, const struct vv_rename *rename)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_MISMATCHED,
        .is_excused = true,
        .reason = "this rename matched nothing",
        .program_path = vv_arena_text(
            &report->arena, rename->program, strlen(rename->program)),
        .file_path =
            vv_arena_text(&report->arena, rename->file, strlen(rename->file)) };
    return unused_pattern_add(report, &finding) && finding.program_path &&
           finding.file_path;
}

static bool add_pattern(varve_report *report, struct vv_hints *hints,
    enum vv_scope option, struct vv_text text)
{
    static const struct {
        const char *option;
        const char *reason;
    } words[VV_SCOPES] = {
        [VV_ONLY] = { "only", "this pattern of `only` matched nothing" },
        [VV_EXCEPT] = { "except", "this pattern of `except` matched nothing" },
        [VV_RESIZE] = { "resize", "this pattern of `resize` matched nothing" },
        [VV_CAST_ONLY] = { "cast_only",
            "this pattern of `cast_only` matched nothing" },
        [VV_EXPECT_MISSING] = { "expect.missing",
            "this pattern of `expect.missing` matched nothing" },
        [VV_EXPECT_UNUSED] = { "expect.unexpected",
            "this pattern of `expect.unexpected` matched nothing" },
    };
    bool is_of_file = option == VV_EXPECT_UNUSED;
    const char *copy = vv_arena_text(&report->arena, text.bytes, text.size);
    struct vv_finding finding = {
        .kind = VARVE_FINDING_MISMATCHED,
        .is_excused = true,
        .option = words[option].option,
        .reason = words[option].reason,
        .program_path = is_of_file ? NULL : copy,
        .file_path = is_of_file ? copy : NULL,
    };
    if (hints)
        finding.nearest =
            vv_hint_for_pattern(hints, text, is_of_file, &report->arena);
    return unused_pattern_add(report, &finding);
}

bool vv_list_unused_patterns(
    const struct vv_pairing *p, struct vv_hints *hints, varve_report *report)
{
    static const enum vv_scope options[] = { VV_ONLY, VV_EXCEPT, VV_RESIZE,
        VV_CAST_ONLY, VV_EXPECT_MISSING, VV_EXPECT_UNUSED };
    bool done = true;
    for (size_t i = 0; i < p->selection.rename_count && done; i++)
        done = p->selection.renames[i].was_used ||
               unused_pattern_add_rename(report, &p->selection.renames[i]);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct vv_automaton *a = &p->scopes.of[options[i]].automaton;
        for (size_t k = 0; k < a->alternative_count && done; k++) {
            if (!vv_scope_was_used(&p->scopes, options[i], k))
                done = add_pattern(
                    report, hints, options[i], a->alternatives[k].text);
        }
    }
    return done;
}
