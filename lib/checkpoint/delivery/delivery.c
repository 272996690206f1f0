/* delivery.c - Stores what a delivery has found out about the values of a file:
 * their states, their damages and lists of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "delivery.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "index.h"
#include "name.h"

/* --- States of values ----------------------------------------------------- */

/* Stores a byte for each value, and checks the transitions between states. */

bool vv_delivery_states_begin(struct vv_delivery_states *delivery_states,
    const varve_allocator *allocator, const struct vv_index *index)
{
    *delivery_states = (struct vv_delivery_states){
        .of = vv_allocate_zeroed(allocator, index->value_count),
        .allocator = allocator,
        .value_count = index->value_count,
        .node_count = index->node_count,
        .index = index,
    };
    for (uint32_t v = 0; v < index->value_count; v++)
        delivery_states->pending += vv_index_is_saved(index, v);
    return index->value_count == 0 || delivery_states->of;
}

void vv_delivery_states_end(struct vv_delivery_states *delivery_states)
{
    if (!delivery_states->allocator)
        return;
    vv_release(delivery_states->allocator, delivery_states->of,
        delivery_states->value_count);
    vv_release(delivery_states->allocator, delivery_states->dropped,
        delivery_states->node_count * sizeof *delivery_states->dropped);
}

/* --- Changes ------------------------------------------------------------ */

#define TO(delivery_state) (1u << VV_DELIVERY_STATE_##delivery_state)

/* The states that vv_decide can set for a value that was not delivered. */
#define DECIDED (TO(DUE) | TO(EXCLUDED) | TO(SUPERSEDED) | TO(MISMATCHED))

/* The allowed transitions, as in docs/developers/architecture.md. */
static const unsigned may_follow[] = {
    [VV_DELIVERY_STATE_WAITING] = DECIDED | TO(DROPPED),
    [VV_DELIVERY_STATE_DUE] = DECIDED | TO(WAITING) | TO(APPLIED) | TO(LENT) |
                              TO(DROPPED) | TO(DAMAGED),
    [VV_DELIVERY_STATE_APPLIED] = TO(DUE),
    [VV_DELIVERY_STATE_LENT] = TO(DUE) | TO(WAITING) | TO(APPLIED),
    [VV_DELIVERY_STATE_SUPERSEDED] = TO(DUE),
    [VV_DELIVERY_STATE_EXCLUDED] = DECIDED | TO(WAITING),
    [VV_DELIVERY_STATE_MISMATCHED] = DECIDED | TO(WAITING) | TO(DROPPED),
    [VV_DELIVERY_STATE_DROPPED] = TO(DUE),
    [VV_DELIVERY_STATE_DAMAGED] = TO(DUE),
};

enum { OPEN = 1, GIVEN_UP = 2 }; /* vv_is_open, vv_is_given_up */

static const uint8_t properties[] = {
    [VV_DELIVERY_STATE_WAITING] = OPEN,
    [VV_DELIVERY_STATE_DUE] = OPEN,
    [VV_DELIVERY_STATE_DROPPED] = GIVEN_UP,
    [VV_DELIVERY_STATE_DAMAGED] = GIVEN_UP,
};

void vv_change_delivery_state(struct vv_delivery_states *delivery_states,
    uint32_t value, enum vv_delivery_state delivery_state)
{
    assert(delivery_states->of[value] == delivery_state ||
           (may_follow[delivery_states->of[value]] & 1u << delivery_state));
    (void)may_follow; /* unused without assertions */
    const unsigned now = properties[delivery_state];
    const unsigned changed = properties[delivery_states->of[value]] ^ now;
    delivery_states->of[value] = (uint8_t)delivery_state;
    if ((changed & OPEN) && vv_index_is_saved(delivery_states->index, value))
        delivery_states->pending += now & OPEN ? 1u : (uint32_t)-1;
    if (changed & GIVEN_UP)
        delivery_states->given_up_changes++;
}

bool vv_is_pending(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return vv_is_open(delivery_states, value) &&
           vv_index_is_saved(delivery_states->index, value);
}

/* --- Nodes without values ----------------------------------------------- */

bool vv_reserve_dropped(struct vv_delivery_states *delivery_states)
{
    if (!delivery_states->dropped)
        delivery_states->dropped =
            vv_allocate_zeroed(delivery_states->allocator,
                delivery_states->node_count * sizeof *delivery_states->dropped);
    return delivery_states->dropped;
}

bool vv_is_dropped(
    const struct vv_delivery_states *delivery_states, uint32_t file)
{
    return delivery_states->dropped && delivery_states->dropped[file];
}

void vv_set_dropped(
    struct vv_delivery_states *delivery_states, uint32_t file, bool is_dropped)
{
    delivery_states->dropped[file] = is_dropped;
}

/* --- Damages -------------------------------------------------------------- */

/* Stores damages sorted by value, with their texts in one buffer. */

struct noted {
    uint32_t value;
    size_t text; /* offset of the text */
};

void vv_damages_init(
    struct vv_damages *damages, const varve_allocator *allocator)
{
    vv_buffer_init(&damages->all, allocator);
    vv_buffer_init(&damages->text, allocator);
}

void vv_damages_end(struct vv_damages *damages)
{
    vv_buffer_clear(&damages->all);
    vv_buffer_clear(&damages->text);
}

bool vv_note_damage(struct vv_damages *damages, const struct vv_damage *damage)
{
    struct vv_buffer *text = &damages->text;
    struct noted noted = { .value = damage->value, .text = text->size };
    if (damage->chunks > 1) {
        vv_buffer_add_decimal(text, damage->damaged);
        vv_buffer_add_string(text, " of ");
        vv_buffer_add_decimal(text, damage->chunks);
        vv_buffer_add_string(text, " chunks, first: ");
    }
    vv_buffer_add_string(text, damage->why);
    vv_buffer_add8(text, 0);
    vv_buffer_add(&damages->all, &noted, sizeof noted);
    bool failed = text->failed || damages->all.failed;
    if (failed)
        text->size = noted.text;
    text->failed = damages->all.failed = false;
    return !failed;
}

static struct noted *damages_all_of(
    const struct vv_damages *damages, size_t *count)
{
    *count = damages->all.size / sizeof(struct noted);
    return (struct noted *)(void *)damages->all.data;
}

/* Sorts by value. The latest damage of a value comes last. */
static int damages_compare(const void *left, const void *right)
{
    const struct noted *a = left;
    const struct noted *b = right;
    if (a->value != b->value)
        return a->value > b->value ? 1 : -1;
    return (a->text > b->text) - (a->text < b->text);
}

void vv_sort_damages(struct vv_damages *damages)
{
    size_t count;
    struct noted *all = damages_all_of(damages, &count);
    if (count)
        qsort(all, count, sizeof *all, damages_compare);
}

const char *vv_damage_of(const struct vv_damages *damages, uint32_t value)
{
    size_t count;
    const struct noted *all = damages_all_of(damages, &count);
    size_t low = 0; /* after the last entry with a lower or equal value */
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low > 0 && all[low - 1].value == value;
    return is_there ? (const char *)damages->text.data + all[low - 1].text
                    : NULL;
}

/* --- The delivery --------------------------------------------------------- */

/* Sets up and frees a delivery, and checks its lists. */

/* --- Setup -------------------------------------------------------------- */

enum { LISTS = 5 };

static void list_lists(struct vv_delivery *d, struct vv_pair_list **list)
{
    struct vv_pair_list *all[LISTS] = { &d->jobs, &d->held, &d->stuck,
        &d->mismatched, &d->folds };
    memcpy(list, all, sizeof all);
}

void vv_delivery_init(struct vv_delivery *d, const struct vv_pairing *pairing,
    const struct vv_opened *file)
{
    struct vv_pair_list *lists[LISTS];
    const varve_allocator *a = &pairing->context.allocator;
    d->pairing = pairing;
    d->options = &pairing->selection.options;
    d->file = file;
    vv_buffer_init(&d->cuts, a);
    vv_buffer_init(&d->cast_misfits, a);
    vv_damages_init(&d->damages, a);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_init(lists[i], a);
    vv_map_init(&d->served, a);
    vv_readahead_init(&d->readahead, a);
}

/* Reserves room for as many jobs as the program and the file both have values.
 */
varve_status vv_delivery_begin(struct vv_delivery *d, varve_error *error)
{
    uint32_t count = vv_index_of(d->pairing)->value_count;
    size_t values = d->pairing->graph->number_limit;
    if (!vv_delivery_states_begin(&d->delivery_states,
            &d->pairing->context.allocator, vv_index_of(d->pairing)))
        return vv_fail_memory(error, "a restoration");
    if (values > count)
        values = count;
    vv_buffer_reserve(&d->jobs.pairs, values * sizeof(struct vv_pair));
    return VARVE_OK;
}

void vv_delivery_end(struct vv_delivery *d)
{
    struct vv_pair_list *lists[LISTS];
    vv_delivery_states_end(&d->delivery_states);
    vv_release(&d->pairing->context.allocator, d->not_own,
        vv_index_of(d->pairing)->node_count);
    vv_buffer_clear(&d->cuts);
    vv_buffer_clear(&d->cast_misfits);
    vv_damages_end(&d->damages);
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_pair_list_clear(lists[i]);
    vv_map_clear(&d->served);
    vv_readahead_end(&d->readahead);
}

void vv_delivery_forget_graph(struct vv_delivery *d)
{
    struct vv_pair_list *lists[LISTS];
    list_lists(d, lists);
    for (size_t i = 0; i < LISTS; i++)
        vv_empty_pairs(lists[i]);
    d->cuts.size = 0;
}

/* --- Other processes ---------------------------------------------------- */

varve_status vv_delivery_exchange_status(
    struct vv_delivery *d, varve_status status, varve_error *error)
{
    struct vv_collective_open *consent = d->consent;
    if (!consent || consent->was_asked)
        return status;
    consent->was_asked = true;
    return consent->ask(consent->user, status, error);
}

uint64_t vv_staging_limit(const struct vv_delivery *d)
{
    uint64_t wanted = d->options->resources.staging_size;
    bool is_shared = d->consent && d->consent->reads_once;
    return wanted      ? wanted
           : is_shared ? VV_STAGING_SIZE_OF_MANY
                       : VV_STAGING_SIZE;
}

/* --- Lists -------------------------------------------------------------- */

void vv_note_loss(struct vv_delivery *d)
{
    d->has_lost = true;
    if (!d->failure.status && !d->pairing->failure.status)
        vv_fail_memory(&d->failure, "matching a checkpoint");
}

/* --- Invariants --------------------------------------------------------- */

#ifndef NDEBUG
enum {
    MOST_CHECKED = 256
}; /* more values and pairs are not checked,
      because it takes long */

/* Returns true if a value is in the list that its delivery state requires. If
 * memory ran out, lists may be incomplete. */
static bool is_listed(const struct vv_delivery *d, uint32_t value)
{
    const struct vv_index *index = vv_index_of(d->pairing);
    uint32_t file = vv_at32(index->value_nodes, value);
    const varve_node *node = d->pairing->matches.node_of[file];
    if (d->has_lost || d->pairing->failure.status)
        return true;
    switch ((enum vv_delivery_state)d->delivery_states.of[value]) {
    case VV_DELIVERY_STATE_DUE:
        return node && vv_has_pair(d->pairing->is_dry ? &d->jobs : &d->stuck,
                           node, value);
    case VV_DELIVERY_STATE_MISMATCHED:
        return node && vv_has_pair(&d->mismatched, node, file);
    case VV_DELIVERY_STATE_WAITING:
        return !node || !vv_index_is_saved(index, value) ||
               vv_index_kind(index, file) != node->kind ||
               vv_has_pair(&d->held, node, value);
    default: return true;
    }
}

/* Returns true if all holders in a list have the delivery state of that list.
 */
static bool have_delivery_state(const struct vv_delivery *d,
    const struct vv_pair_list *list, enum vv_delivery_state delivery_state)
{
    const struct vv_pairing *p = d->pairing;
    size_t count;
    const struct vv_pair *pairs = vv_pairs_in(&list->pairs, &count);
    for (size_t i = 0; i < count; i++) {
        if (!pairs[i].node)
            continue;
        bool are_nodes = list == &d->mismatched;
        uint32_t value =
            are_nodes ? vv_value_of(p, pairs[i].file) : pairs[i].file;
        if (pairs[i].node->graph != p->graph)
            return false;
        if (value != VV_NONE &&
            d->delivery_states.of[value] != delivery_state &&
            vv_is_holder(&p->matches, pairs[i].node,
                vv_at32(vv_index_of(p)->value_nodes, value)))
            return false;
    }
    return true;
}

void vv_delivery_check(const struct vv_delivery *d)
{
    const struct vv_pairing *p = d->pairing;
    size_t pairs = (d->jobs.pairs.size + d->held.pairs.size +
                       d->stuck.pairs.size + d->mismatched.pairs.size) /
                   sizeof(struct vv_pair);
    uint32_t values = vv_index_of(p)->value_count;
    if (!p->graph || values > MOST_CHECKED || pairs > MOST_CHECKED)
        return;
    assert(have_delivery_state(d, &d->jobs, VV_DELIVERY_STATE_DUE));
    assert(have_delivery_state(d, &d->stuck, VV_DELIVERY_STATE_DUE));
    assert(have_delivery_state(d, &d->held, VV_DELIVERY_STATE_WAITING));
    assert(
        have_delivery_state(d, &d->mismatched, VV_DELIVERY_STATE_MISMATCHED));
    assert(p->is_dry || d->jobs.pairs.size == 0);
    for (uint32_t v = 0; v < values; v++)
        assert(is_listed(d, v));
}
#else
void vv_delivery_check(const struct vv_delivery *d)
{
    (void)d;
}
#endif
