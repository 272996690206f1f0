/* report.c - Makes a report: examines every value of the file and of the
 * program once, and records its result.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "delivery_state.h"
#include "failure.h"
#include "findings.h"
#include "move.h"
#include "report_program.h"
#include "salvage.h"
#include "saved_spread.h"
#include "scope.h"
#include "slice.h"
#include "tag.h"
#include "try.h"
#include "typed_memory.h"
#include "variable.h"
#include "walk.h"

const char *vv_report_keep(struct vv_maker *m, struct vv_buffer *text)
{
    if (text->failed) {
        m->failed = true;
        return NULL;
    }
    const char *copy =
        vv_arena_text(&m->report->arena, (const char *)text->data, text->size);
    m->failed |= !copy;
    return copy;
}

static const varve_tensor *keep_tensor(struct vv_maker *m, varve_tensor tensor)
{
    varve_tensor *copy = vv_arena_take(&m->report->arena, sizeof *copy);
    m->failed |= !copy;
    if (copy)
        *copy = tensor;
    return copy;
}

void vv_report_add(struct vv_maker *m, const struct vv_finding *finding)
{
    struct vv_buffer *list = &m->report->findings[finding->kind];
    m->report->counts[finding->kind]++;
    if (finding->kind == VARVE_FINDING_MATCHED && !m->with_matched)
        return;
    vv_buffer_add(list, finding, sizeof *finding);
    m->failed |= list->failed;
}

bool vv_report_wants_nearest(
    struct vv_maker *m, const struct vv_finding *finding, unsigned side)
{
    enum { LEAST_LINE = 32, MOST_LINES = VARVE_MESSAGE_SIZE / LEAST_LINE };
    if (!(m->asked & side))
        return false;
    if (!(m->asked & VV_FOR_MESSAGE))
        return true;
    return !finding->is_excused && m->lines++ < MOST_LINES;
}

static const char *program_path(struct vv_maker *m, const varve_node *node)
{
    if (!m->has_walk || !vv_walk_has(&m->walk, node))
        return NULL;
    if (!vv_scope_path(&m->p->scopes, node, &m->scratch))
        vv_walk_short_path(&m->walk, vv_walk_place(&m->walk, node),
            VV_LONGEST_PATH, &m->scratch);
    return vv_report_keep(m, &m->scratch);
}

void vv_report_describe_file(
    struct vv_maker *m, struct vv_finding *finding, uint32_t file)
{
    if (!vv_scope_saved_path(
            &m->p->scopes, vv_index_of(m->p), file, &m->scratch))
        vv_saved_path(&m->p->saved.paths, file, &m->scratch);
    finding->file_path = vv_report_keep(m, &m->scratch);
    finding->file_node = file + 1;
}

const char *vv_report_damage(struct vv_maker *m, uint32_t value)
{
    const char *why = vv_damage_of(&m->d->damages, value);
    if (!why)
        return NULL;
    m->scratch.size = 0;
    vv_buffer_add_string(&m->scratch, why);
    return vv_report_keep(m, &m->scratch);
}

static void note_listed(struct vv_maker *m, const varve_node *node)
{
    if (m->has_walk && vv_walk_has(&m->walk, node))
        m->is_listed[vv_walk_place(&m->walk, node)] = 1;
}

/* --- Values of the file ------------------------------------------------- */

void vv_report_describe_value(
    struct vv_maker *m, struct vv_finding *finding, uint32_t value)
{
    const struct vv_index *index = vv_index_of(m->p);
    finding->saved = keep_tensor(m, vv_saved(m->p, value));
    finding->size = vv_at64(index->value_sizes, value);
    finding->offset = vv_at64(index->value_offsets, value);
}

void vv_report_describe_node(
    struct vv_maker *m, struct vv_finding *finding, const varve_node *node)
{
    finding->program_path = program_path(m, node);
    if (node->variable)
        finding->wanted = keep_tensor(m, vv_whole_of(node));
    note_listed(m, node);
}

static int compare_misfits(const void *left, const void *right)
{
    const struct vv_misfits *a = left;
    const struct vv_misfits *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static uint64_t misfits_of(const struct vv_maker *m, uint32_t value)
{
    const struct vv_buffer *all = &m->inexact;
    struct vv_misfits key = { .value = value };
    const struct vv_misfits *found =
        !all->size ? NULL
                   : bsearch(&key, all->data, all->size / sizeof key,
                         sizeof key, compare_misfits);
    return found ? found->count : 0;
}

/* Returns true if the program has a smaller extent than the file. */
static bool drops_elements(const struct vv_finding *finding)
{
    const varve_tensor *saved = finding->saved, *wanted = finding->wanted;
    bool drops = false;
    if (!saved || !wanted || saved->rank != wanted->rank)
        return false;
    for (uint32_t i = 0; i < saved->rank; i++)
        drops |= wanted->shape[i] < saved->shape[i];
    return drops;
}

/* Adds a match. `node` is the node with the value, or NULL if it was removed.
 */
static void add_matched(
    struct vv_maker *m, uint32_t value, uint32_t file, varve_node *node)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_MATCHED, .reason = "" };
    if (!m->with_matched) {
        m->report->counts[VARVE_FINDING_MATCHED]++;
        if (node)
            note_listed(m, node);
        return;
    }
    vv_report_describe_value(m, &finding, value);
    if (node)
        vv_report_describe_node(m, &finding, node);
    vv_report_describe_file(m, &finding, file);
    if (!node)
        finding.reason = "its node was removed";
    else if (node->restored_by > m->p->number)
        finding.reason = "a later restore replaced its value";
    else if (vv_how_of(&m->p->matches, node) == VV_BY_GLOBAL_NAME)
        finding.reason = "by its global name";
    else if (m->d->options->map)
        finding.reason = vv_move_obstacle(m->d, node, value, NULL);
    if (node && !vv_part_of(node) && vv_scope_resizes(&m->p->scopes, node) &&
        drops_elements(&finding))
        finding.reason = "`resize` dropped the elements that do not fit";
    if (finding.saved && finding.wanted)
        finding.is_cast = finding.saved->dtype != finding.wanted->dtype;
    if (finding.is_cast)
        finding.inexact = misfits_of(m, value);
    vv_report_add(m, &finding);
}

static int compare_by_file(const void *left, const void *right)
{
    const struct vv_pair *a = left;
    const struct vv_pair *b = right;
    return (a->file > b->file) - (a->file < b->file);
}

/* Returns a node that claims a node of the file with another holder, or NULL.
 */
static varve_node *other_claim(const struct vv_maker *m, uint32_t file)
{
    struct vv_pair key = { NULL, file };
    const struct vv_pair *found =
        !m->by_file.size
            ? NULL
            : bsearch(&key, m->by_file.data, m->by_file.size / sizeof key,
                  sizeof key, compare_by_file);
    return found && m->p->matches.node_of[file] != found->node ? found->node
                                                               : NULL;
}

static void excuse_unused(
    struct vv_maker *m, struct vv_finding *finding, uint32_t file)
{
    const struct vv_spread *unused = &m->p->scopes.of[VV_EXPECT_UNUSED];
    uint32_t pair = vv_spread_find(unused, file, true);
    if (pair != UINT32_MAX) {
        vv_saved_spread_path(
            unused, vv_index_of(m->p), pair, VV_LONGEST_PATH, &m->scratch);
        finding->file_path = vv_report_keep(m, &m->scratch);
        finding->is_excused = true;
    } else if (!vv_scope_wants(&m->p->scopes, vv_index_of(m->p), file)) {
        finding->kind = VARVE_FINDING_UNEXPECTED;
        finding->is_excused = true;
        finding->reason = "left out by the options";
    }
    m->failed |= m->scratch.failed;
}

/* Returns true if a dry run has found that the value would be delivered. */
static bool would_match(
    const struct vv_maker *m, uint32_t value, const varve_node *node)
{
    return m->is_dry &&
           m->d->delivery_states.of[value] == VV_DELIVERY_STATE_DUE &&
           vv_value_fits(m->d, node, value);
}

bool vv_report_was_restored(const struct vv_maker *m, const varve_node *node)
{
    return !m->is_dry && node->restored_by >= m->p->number;
}

/* Returns text with the path of the value that a node has instead of this one,
 * and the difference between the two. */
static const char *claim_reason(struct vv_maker *m, struct vv_finding *finding,
    uint32_t value, uint32_t file, uint32_t other)
{
    static const char claimed[] = "its node was restored from another value";
    struct vv_buffer path;
    if (other == VV_NONE)
        return claimed;
    varve_tensor has = vv_saved(m->p, other);
    bool is_same = has.dtype == finding->saved->dtype &&
                   vv_shape_equal(&has, finding->saved);
    bool is_known = is_same && vv_opened_is_equal(m->d->file, value, value);
    vv_buffer_init(&path, &m->p->context.allocator);
    vv_saved_path(&m->p->saved.paths, file, &path);
    vv_emptied(&m->scratch);
    vv_buffer_add_string(&m->scratch, claimed);
    vv_buffer_add_string(&m->scratch, ", \"");
    vv_buffer_add_string(&m->scratch, vv_buffer_string(&path));
    vv_buffer_add_string(&m->scratch, !is_same ? "\", of another type"
                                      : is_known
                                          ? "\", whose bytes differ"
                                          : "\", which cannot be compared");
    m->failed |= path.failed;
    vv_buffer_clear(&path);
    return vv_report_keep(m, &m->scratch);
}

/* Describes a value that a node did not receive, because it has another one. It
 * is a match if both values are equal. */
static void describe_second(struct vv_maker *m, struct vv_finding *finding,
    uint32_t value, const varve_node *node)
{
    uint32_t file = vv_file_node_of(&m->p->matches, node);
    uint32_t other = file == VV_NONE ? VV_NONE : vv_value_of(m->p, file);
    finding->kind = VARVE_FINDING_MISMATCHED;
    finding->is_restored = vv_report_was_restored(m, node);
    if (other != VV_NONE && vv_opened_is_equal(m->d->file, value, other) &&
        (finding->is_restored || would_match(m, other, node))) {
        finding->kind = VARVE_FINDING_MATCHED;
        finding->reason = "equal to the value its node was restored from";
    } else if (finding->saved) {
        finding->reason = claim_reason(m, finding, value, file, other);
    }
    vv_report_describe_node(m, finding, node);
}

/* Adds a value whose node in the file is not bound. */
static void add_unbound(struct vv_maker *m, uint32_t value, uint32_t file)
{
    struct vv_finding finding = { .kind = m->is_dry ? VARVE_FINDING_UNEXPECTED
                                                    : VARVE_FINDING_PENDING };
    vv_report_describe_value(m, &finding, value);
    vv_report_describe_file(m, &finding, file);
    varve_node *claim = other_claim(m, file);
    bool is_hinted = false;
    if (m->d->delivery_states.of[value] == VV_DELIVERY_STATE_DROPPED) {
        finding.kind = VARVE_FINDING_UNEXPECTED;
        finding.reason = "dropped";
        finding.is_excused = true;
    } else if (vv_index_has_tag(vv_index_of(m->p), file, VARVE_TAG_OPTIONAL)) {
        finding.kind = VARVE_FINDING_UNEXPECTED;
        finding.reason = "optional";
        finding.is_excused = true;
    } else if (vv_not_own_text(m->d, file)) {
        finding.kind = VARVE_FINDING_UNEXPECTED;
        finding.reason = vv_not_own_text(m->d, file);
        finding.is_excused = true;
    } else if (claim) {
        describe_second(m, &finding, value, claim);
    } else {
        struct vv_hint hint =
            vv_hint_for_file(&m->hints, file, &m->report->arena);
        finding.reason = hint.reason;
        finding.is_excused = hint.is_retired;
        is_hinted = !hint.is_retired;
        if (hint.is_retired)
            finding.kind = VARVE_FINDING_UNEXPECTED;
    }
    excuse_unused(m, &finding, file);
    if (is_hinted && vv_report_wants_nearest(m, &finding, VV_NEAREST_OF_FILE))
        finding.nearest =
            vv_nearest_for_file(&m->hints, file, &m->report->arena);
    vv_report_add(m, &finding);
}

/* Describes the slice in the file and the slice in the program. */
static const char *part_reason(
    struct vv_maker *m, uint32_t value, const varve_node *node)
{
    varve_slice part;
    char text[VV_PART_TEXT_SIZE];
    if (!vv_saved_part(m->p, value, &part))
        return "type or shape differs";
    const varve_tensor saved = vv_saved(m->p, value);
    vv_emptied(&m->scratch);
    vv_buffer_add_string(&m->scratch, "saved ");
    vv_buffer_add_string(&m->scratch, vv_part_text(&saved, &part, text));
    vv_buffer_add_string(
        &m->scratch, vv_part_of(node) ? ", the program has "
                                      : ", the program has the whole value");
    if (vv_part_of(node))
        vv_buffer_add_string(&m->scratch,
            vv_part_text(&node->variable->tensor, vv_part_of(node), text));
    return vv_report_keep(m, &m->scratch);
}

static const char *mismatch_reason(
    struct vv_maker *m, uint32_t file, const varve_node *node)
{
    if (vv_index_kind(vv_index_of(m->p), file) == node->kind &&
        node->kind == VARVE_VARIABLE)
        return part_reason(m, vv_value_of(m->p, file), node);
    if (vv_index_kind(vv_index_of(m->p), file) == node->kind)
        return "type or shape differs";
    if (node->kind == VARVE_VARIABLE)
        return "the program has a variable here";
    return node->kind == VARVE_STATE
               ? "the program has a custom serializer here"
               : "the program has an object here";
}

/* Adds a value whose node is bound, but which was not delivered. */
static void add_undelivered(
    struct vv_maker *m, uint32_t value, uint32_t file, varve_node *node)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_PENDING };
    vv_report_describe_value(m, &finding, value);
    vv_report_describe_node(m, &finding, node);
    vv_report_describe_file(m, &finding, file);
    switch ((enum vv_delivery_state)m->d->delivery_states.of[value]) {
    case VV_DELIVERY_STATE_EXCLUDED:
        finding.kind = VARVE_FINDING_UNEXPECTED;
        finding.reason = "left out by the options";
        finding.is_excused = true;
        break;
    case VV_DELIVERY_STATE_DROPPED:
        finding.kind = VARVE_FINDING_UNEXPECTED;
        finding.reason = "dropped";
        finding.is_excused = true;
        break;
    case VV_DELIVERY_STATE_MISMATCHED:
        finding.kind = VARVE_FINDING_MISMATCHED;
        finding.reason = mismatch_reason(m, file, node);
        break;
    case VV_DELIVERY_STATE_WAITING:
        if (node->kind != vv_index_kind(vv_index_of(m->p), file)) {
            finding.kind = VARVE_FINDING_UNEXPECTED;
            finding.reason = "optional";
            finding.is_excused = true;
            break;
        }
        finding.reason = "its own variables do not exist yet";
        break;
    default:
        finding.reason = "it could not be restored";
        if (m->is_dry) {
            finding.kind = VARVE_FINDING_MISMATCHED;
            finding.reason = mismatch_reason(m, file, node);
        }
        break;
    }
    excuse_unused(m, &finding, file);
    vv_report_add(m, &finding);
}

/* Adds a damaged value. */
static void add_damaged(
    struct vv_maker *m, uint32_t value, uint32_t file, varve_node *node)
{
    struct vv_finding finding = { .kind = VARVE_FINDING_DAMAGED,
        .reason = vv_report_damage(m, value) };
    vv_report_describe_value(m, &finding, value);
    if (node) {
        vv_report_describe_node(m, &finding, node);
        finding.is_restored = vv_report_was_restored(m, node);
    }
    vv_report_describe_file(m, &finding, file);
    excuse_unused(m, &finding, file);
    vv_report_add(m, &finding);
}

static void report_look_at_file(struct vv_maker *m)
{
    const struct vv_index *index = vv_index_of(m->p);
    for (uint32_t v = 0; v < index->value_count && !m->failed; v++) {
        uint32_t file = vv_at32(index->value_nodes, v);
        varve_node *node = m->p->matches.node_of[file];
        if (!vv_index_is_saved(index, v) ||
            !vv_saved_path_exists(&m->p->saved.paths, file))
            continue;
        m->report->value_count++;
        if (vv_is_delivered(&m->d->delivery_states, v))
            add_matched(m, v, file,
                node && vv_report_was_restored(m, node) ? node : NULL);
        else if (m->d->delivery_states.of[v] == VV_DELIVERY_STATE_DAMAGED)
            add_damaged(m, v, file, node);
        else if (!node)
            add_unbound(m, v, file);
        else if (would_match(m, v, node))
            add_matched(m, v, file, node);
        else
            add_undelivered(m, v, file, node);
    }
}

/* --- Making ------------------------------------------------------------- */

/* Sorts the claims and inexact casts, so that they can be searched. */
static void sort_claims(struct vv_maker *m)
{
    size_t pair = sizeof(struct vv_pair);
    size_t misfit = sizeof(struct vv_misfits);
    size_t count;
    const struct vv_pair *claims =
        vv_pairs_in(&m->p->matches.claims.pairs, &count);
    for (size_t i = 0; i < count; i++) {
        if (claims[i].node)
            vv_buffer_add(&m->by_file, &claims[i], pair);
    }
    vv_buffer_add(
        &m->inexact, m->d->cast_misfits.data, m->d->cast_misfits.size);
    m->failed |= m->by_file.failed || m->inexact.failed;
    if (m->by_file.size)
        qsort(m->by_file.data, m->by_file.size / pair, pair, compare_by_file);
    if (m->inexact.size)
        qsort(
            m->inexact.data, m->inexact.size / misfit, misfit, compare_misfits);
}

static void list_left_out(struct vv_maker *m)
{
    const struct vv_opened *file = m->d->file;
    const struct vv_left_out *all =
        (const struct vv_left_out *)(const void *)file->left_out.data;
    const char *texts = (const char *)file->left_out_texts.data;
    for (size_t i = 0; i < file->left_out.size / sizeof *all; i++) {
        const char *path = texts + all[i].path, *what = texts + all[i].what;
        struct vv_report_part u = { vv_arena_text(
                                        &m->report->arena, path, strlen(path)),
            vv_arena_text(&m->report->arena, what, strlen(what)) };
        vv_buffer_add(&m->report->left_out, &u, sizeof u);
        m->failed |= !u.path || !u.what;
    }
    m->failed |= m->report->left_out.failed;
}

static varve_status report_begin(struct vv_maker *m, varve_error *error)
{
    if (m->p->graph && m->p->root) {
        VV_TRY(vv_walk_begin(&m->walk, m->p->root, error));
        m->has_walk = true;
        m->is_listed =
            vv_allocate_zeroed(&m->p->context.allocator, m->walk.count);
        if (!m->is_listed)
            return vv_fail_memory(error, "a report");
    }
    if (!vv_hints_begin(&m->hints, m->p, m->has_walk ? &m->walk : NULL))
        return vv_fail_memory(error, "a report");
    m->report->path = vv_arena_text(
        &m->report->arena, m->d->file->path, strlen(m->d->file->path));
    m->failed |= !m->report->path;
    list_left_out(m);
    sort_claims(m);
    return VARVE_OK;
}

static bool report_end(struct vv_maker *m)
{
    bool done = vv_hints_end(&m->hints) && !m->failed;
    if (m->has_walk) {
        vv_release(&m->p->context.allocator, m->is_listed, m->walk.count);
        vv_walk_end(&m->walk);
    }
    vv_buffer_clear(&m->by_file);
    vv_buffer_clear(&m->inexact);
    vv_buffer_clear(&m->scratch);
    return done;
}

static varve_report *report_allocate(const struct vv_context *context)
{
    varve_report *report =
        vv_allocate_zeroed(&context->allocator, sizeof *report);
    if (!report)
        return NULL;
    report->allocator = context->allocator;
    vv_arena_init(&report->arena, &report->allocator);
    vv_buffer_init(&report->text, &report->allocator);
    vv_buffer_init(&report->json, &report->allocator);
    vv_buffer_init(&report->left_out, &report->allocator);
    for (int i = 0; i < VARVE_FINDING_KINDS; i++)
        vv_buffer_init(&report->findings[i], &report->allocator);
    return report;
}

varve_report *vv_report_make(
    const struct vv_delivery *d, unsigned asked, varve_error *error)
{
    const struct vv_pairing *p = d->pairing;
    struct vv_maker m = {
        .p = p,
        .d = d,
        .with_matched = asked & VV_WITH_MATCHED,
        .is_dry = p->is_dry || asked & VV_AS_PLANNED,
        .asked = asked,
    };
    vv_buffer_init(&m.scratch, &p->context.allocator);
    vv_buffer_init(&m.by_file, &p->context.allocator);
    vv_buffer_init(&m.inexact, &p->context.allocator);
    m.report = report_allocate(&p->context);
    if (!m.report) {
        vv_fail_memory(error, "a report");
        return NULL;
    }
    m.report->is_dry = m.is_dry;
    m.report->passes = d->passes;
    varve_status status = report_begin(&m, error);
    if (!status) {
        report_look_at_file(&m);
        if (m.has_walk)
            vv_report_look_at_program(&m);
        m.failed |= !vv_list_unused_patterns(
            p, asked & VV_NEAREST_OF_PATTERNS ? &m.hints : NULL, m.report);
    }
    if (!report_end(&m) && !status)
        status = vv_fail_memory(error, "a report");
    if (status) {
        varve_report_free(m.report);
        return NULL;
    }
    return m.report;
}

void varve_report_free(varve_report *report)
{
    if (!report)
        return;
    for (int i = 0; i < VARVE_FINDING_KINDS; i++)
        vv_buffer_clear(&report->findings[i]);
    vv_buffer_clear(&report->text);
    vv_buffer_clear(&report->json);
    vv_buffer_clear(&report->left_out);
    vv_arena_clear(&report->arena);
    const varve_allocator a = report->allocator;
    vv_release(&a, report, sizeof *report);
}
