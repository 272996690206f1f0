/* report_program.c - Adds the findings of the program to a report: missing
 * variables with reasons, and copies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report_program.h"

#include <string.h>

#include "delivery_state.h"
#include "edge.h"
#include "graph_spread.h"
#include "scope.h"
#include "tag.h"
#include "variable.h"

/* --- Copies ------------------------------------------------------------- */

/* Returns the value that a node may have a copy of, because it is not its
 * holder, or VV_NONE. */
static uint32_t value_of_another(
    const struct vv_maker *m, const varve_node *node)
{
    const struct vv_pairing *p = m->p;
    uint32_t file = vv_file_node_of(&p->matches, node);
    uint32_t value = file == VV_NONE ? VV_NONE : vv_value_of(p, file);
    bool may_have = value != VV_NONE &&
                    !vv_is_holder(&p->matches, node, file) &&
                    vv_index_is_saved(vv_index_of(p), value);
    return may_have ? value : VV_NONE;
}

/* Returns true if a read gives the node this copy, or fails because it does not
 * fit. */
static bool claims_copy(const struct vv_maker *m, const varve_node *node)
{
    const struct vv_pairing *p = m->p;
    uint32_t file = vv_file_node_of(&p->matches, node);
    return value_of_another(m, node) != VV_NONE &&
           vv_wants_copy(m->d, node, file) &&
           vv_index_kind(vv_index_of(p), file) == node->kind &&
           vv_scope_takes(&p->scopes, node);
}

/* Returns true if the node has received this copy, or would receive it after a
 * dry run. */
static bool report_program_has_copy(
    const struct vv_maker *m, const varve_node *node)
{
    uint32_t value = value_of_another(m, node);
    if (value == VV_NONE)
        return false;
    return m->is_dry ? claims_copy(m, node) && vv_value_fits(m->d, node, value)
                     : node->restored_by == m->p->number;
}

/* Returns the reason why a copy could not be read, or NULL if it could. */
static const char *lost_copy(struct vv_maker *m, const varve_node *node)
{
    return !m->is_dry && claims_copy(m, node)
               ? vv_report_damage(m, value_of_another(m, node))
               : NULL;
}

/* --- What was not restored ---------------------------------------------- */

static void excuse_missing(
    struct vv_maker *m, struct vv_finding *finding, const varve_node *node)
{
    const struct vv_spread *missing = &m->p->scopes.of[VV_EXPECT_MISSING];
    uint32_t pair = vv_spread_find(missing, node->number, true);
    if (pair != UINT32_MAX) {
        vv_graph_spread_path(missing, pair, VV_LONGEST_PATH, &m->scratch);
        finding->program_path = vv_report_keep(m, &m->scratch);
        finding->is_excused = true;
    } else if (!vv_scope_takes(&m->p->scopes, node)) {
        finding->is_excused = true;
    }
}

/* Returns true if a node is below a rank-local node that is not restored. */
static bool is_left_out(const struct vv_maker *m, const varve_node *node)
{
    const struct vv_step *step = &m->walk.steps[vv_walk_place(&m->walk, node)];
    while (step->edge || step->slot) {
        node = step->edge ? step->edge->parent : step->slot->owner;
        if (vv_is_left_to_program(m->d, node))
            return true;
        step = &m->walk.steps[vv_walk_place(&m->walk, node)];
    }
    return false;
}

static bool leads_as_in_file(
    const struct vv_maker *m, const struct vv_edge *e, uint32_t file)
{
    uint32_t parent = vv_file_node_of(&m->p->matches, e->parent);
    uint32_t name = vv_find_in_file(&m->p->names, vv_edge_name(e));
    return parent != VV_NONE && name != VV_NONE &&
           vv_index_find_child(vv_index_of(m->p), parent, name) == file;
}

/* Returns true if the file has an edge to the node with the same name as the
 * program, so it was not moved since it was matched. The last result is cached,
 * because many claims can lead to one node. */
static bool is_in_its_place(
    struct vv_maker *m, const varve_node *node, uint32_t file)
{
    if (m->asked_of == node)
        return m->is_in_place;
    const struct vv_edge *e = vv_first_in(node);
    while (e && !leads_as_in_file(m, e, file))
        e = vv_next_in(e);
    m->asked_of = node;
    m->is_in_place = e;
    return e;
}

/* Returns true if the value of a node of the file was delivered to another node
 * that had this place before. */
static bool went_to_earlier(
    struct vv_maker *m, const varve_node *node, uint32_t file)
{
    const varve_node *holder = m->p->matches.node_of[file];
    uint32_t value = vv_value_of(m->p, file);
    return value != VV_NONE && vv_is_delivered(&m->d->delivery_states, value) &&
           (!holder || holder == node || !is_in_its_place(m, holder, file));
}

/* Returns text with the path of the holder of what a node claims, between
 * `before` and `after`. */
static const char *describe_holder(
    struct vv_maker *m, uint32_t file, const char *before, const char *after)
{
    const varve_node *holder = m->p->matches.node_of[file];
    m->scratch.size = 0;
    if (!vv_walk_has(&m->walk, holder))
        return "another node of the program was restored from it";
    if (!vv_scope_path(&m->p->scopes, holder, &m->scratch))
        vv_walk_short_path(&m->walk, vv_walk_place(&m->walk, holder),
            VV_LONGEST_PATH, &m->scratch);
    const char *path = vv_report_keep(m, &m->scratch);
    m->scratch.size = 0;
    vv_buffer_add_string(&m->scratch, before);
    vv_buffer_add_string(&m->scratch, !path ? "" : *path ? path : "the root");
    vv_buffer_add_string(&m->scratch, after);
    return vv_report_keep(m, &m->scratch);
}

/* Describes a claim to a value that another node holds. */
static void describe_claim(struct vv_maker *m, struct vv_finding *finding,
    const varve_node *node, uint32_t file)
{
    bool is_shared = is_in_its_place(m, node, file) &&
                     is_in_its_place(m, m->p->matches.node_of[file], file);
    finding->kind = VARVE_FINDING_MISMATCHED;
    vv_report_describe_file(m, finding, file);
    finding->reason =
        is_shared ? describe_holder(m, file, "shared in the file with ",
                        ", which was restored from it")
                  : describe_holder(m, file, "", " was restored from it");
}

/* Describes a node of the file that has no value. */
static const char *describe_object(const struct vv_maker *m, uint32_t file)
{
    const struct vv_index *index = vv_index_of(m->p);
    if (vv_index_has_tag(index, file, VV_TAG_NONE))
        return "the file has None here";
    switch (vv_index_kind(index, file)) {
    case VARVE_LIST: return "the file has a list here";
    case VARVE_DICT: return "the file has a dict here";
    default: return "the file has an object here";
    }
}

/* Adds a variable that was not restored. With `is_local` this is expected. */
static void add_missing(struct vv_maker *m, varve_node *node, bool is_local)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_MISSING };
    vv_report_describe_node(m, &finding, node);
    uint32_t file = vv_file_node_of(&m->p->matches, node);
    if (file == VV_NONE) {
        finding.reason =
            vv_hint_for_program(&m->hints, node, &m->report->arena);
        finding.is_excused = varve_has_tag(node, VARVE_TAG_LATER);
        if (finding.is_excused)
            finding.reason = "tagged `later`";
    } else if (went_to_earlier(m, node, file)) {
        vv_report_describe_file(m, &finding, file);
        finding.reason = "an earlier node was restored from its value";
    } else if (lost_copy(m, node)) {
        finding.kind = VARVE_FINDING_DAMAGED;
        vv_report_describe_file(m, &finding, file);
        finding.reason = lost_copy(m, node);
    } else if (m->p->matches.node_of[file] &&
               m->p->matches.node_of[file] != node) {
        describe_claim(m, &finding, node, file);
    } else if (vv_value_of(m->p, file) == VV_NONE) {
        finding.kind = VARVE_FINDING_MISMATCHED;
        vv_report_describe_file(m, &finding, file);
        finding.reason = describe_object(m, file);
    } else {
        vv_report_describe_file(m, &finding, file);
        finding.reason = "the file has no value for it";
    }
    excuse_missing(m, &finding, node);
    if (file == VV_NONE && is_left_out(m, node)) {
        finding.reason = "rank-local, of a job with another number of ranks";
        finding.is_excused = true;
    }
    finding.is_excused |= is_local;
    if (file == VV_NONE &&
        vv_report_wants_nearest(m, &finding, VV_NEAREST_OF_PROGRAM))
        finding.nearest =
            vv_nearest_for_program(&m->hints, node, &m->report->arena);
    vv_report_add(m, &finding);
}

/* Returns true if a read fails because the file has an object in the place of a
 * variable. */
static bool meets_object(const struct vv_maker *m, const varve_node *node)
{
    uint32_t file = vv_file_node_of(&m->p->matches, node);
    return file != VV_NONE && vv_is_holder(&m->p->matches, node, file) &&
           vv_value_of(m->p, file) == VV_NONE &&
           vv_scope_takes(&m->p->scopes, node) &&
           !vv_index_has_tag(vv_index_of(m->p), file, VARVE_TAG_OPTIONAL);
}

static void add_copy(struct vv_maker *m, const varve_node *node)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_MATCHED };
    uint32_t file = vv_file_node_of(&m->p->matches, node);
    vv_report_describe_value(m, &finding, vv_value_of(m->p, file));
    vv_report_describe_node(m, &finding, node);
    vv_report_describe_file(m, &finding, file);
    finding.reason =
        m->p->matches.node_of[file]
            ? describe_holder(m, file, "a copy of the value of ", "")
            : "a copy";
    if (finding.saved && finding.wanted)
        finding.is_cast = finding.saved->dtype != finding.wanted->dtype;
    vv_report_add(m, &finding);
}

void vv_report_look_at_program(struct vv_maker *m)
{
    uint64_t local = vv_tag_bit(m->walk.graph, VARVE_TAG_LOCAL);
    m->lines = 0;
    for (size_t i = 0; i < m->walk.count && !m->failed; i++) {
        varve_node *node = m->walk.steps[i].node;
        if (!node->variable && node->kind != VARVE_STATE)
            continue;
        m->report->variable_count++;
        bool is_local = vv_is_local(node, local);
        bool is_nobodys =
            is_local && !meets_object(m, node) && !claims_copy(m, node);
        if (m->is_listed[i] || is_nobodys)
            continue;
        bool has_one = report_program_has_copy(m, node);
        if (has_one && claims_copy(m, node))
            add_copy(m, node);
        else if (has_one || !vv_report_was_restored(m, node))
            add_missing(m, node, is_local);
    }
}

/* --- Unused patterns ------------------------------------------------------ */

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
        .is_unused = true,
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
        .is_unused = true,
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
