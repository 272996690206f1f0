/* automaton.c - Builds places and steps from the patterns, and states when they
 * are first needed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "automaton.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "name_pattern.h"

/* Some patterns have more states than are useful. The total number of places in
 * all states is limited to FEW_LISTED, plus MOST_LISTED_EACH for each place. */
enum { FEW_LISTED = 1 << 18, MOST_LISTED_EACH = 16 };

/* A step by one name. */
struct step {
    struct vv_pattern_place *from;
    struct vv_pattern_place *to;
    struct vv_text text; /* a name pattern, or the name if it is literal */
    struct vv_text base; /* for a slot: the part before the parentheses */
    bool is_literal;
    struct step *next;  /* the next non-literal step from the same place */
    uint64_t key;       /* in `wild_steps`; 0: not in it */
    struct step *alike; /* the next one with the same key */
};

/* The sizes of the ends of steps with wildcards. */
struct ends {
    struct vv_name_ends sizes;
    struct ends *next;
};

/* A slot whose parentheses contain a path that ends at this place. */
struct closing {
    const struct step *step;
    struct closing *next;
};

struct vv_pattern_place {
    uint32_t number;
    uint64_t stamp;
    bool stays;        /* after a `**`: any name leads back here */
    bool is_end;       /* end of a pattern: all descendants match too */
    bool was_reached;  /* a path that was followed has reached it */
    bool has_literals; /* has steps by literal names */
    struct vv_pattern_place *deep; /* the place after a `**` from here */
    struct step *first;            /* non-literal steps */
    struct ends *ends;             /* of non-literal steps except slots */
    struct closing *closings;
};

static bool automaton_fail(struct vv_automaton *a, varve_status status)
{
    if (a->status == VARVE_OK)
        a->status = status;
    return false;
}

static void *automaton_take(struct vv_automaton *a, size_t size)
{
    void *block = vv_arena_take(&a->arena, size);
    if (block)
        memset(block, 0, size);
    else
        automaton_fail(a, VARVE_NO_MEMORY);
    return block;
}

/* --- Steps -------------------------------------------------------------- */

struct step_key {
    const struct vv_pattern_place *from;
    struct vv_text text;
    bool is_literal;
};

static bool is_step(const void *item, const void *key)
{
    const struct step *step = item;
    const struct step_key *wanted = key;
    return step->from == wanted->from &&
           step->is_literal == wanted->is_literal &&
           step->text.size == wanted->text.size &&
           memcmp(step->text.bytes, wanted->text.bytes, wanted->text.size) == 0;
}

static uint64_t step_hash(
    uint64_t text_hash, const struct vv_pattern_place *from)
{
    return vv_map_mix(text_hash + from->number);
}

static struct vv_pattern_place *new_place(struct vv_automaton *a)
{
    struct vv_pattern_place *place = automaton_take(a, sizeof *place);
    if (place)
        place->number = a->place_count++;
    return place;
}

static struct step *automaton_add_step(
    struct vv_automaton *a, const struct step_key *key, uint64_t hash)
{
    struct step *step = automaton_take(a, sizeof *step);
    char *copy = vv_arena_text(&a->arena, key->text.bytes, key->text.size);
    struct vv_pattern_place *to = new_place(a);
    if (!step || !copy || !to || !vv_map_add(&a->steps, hash, step)) {
        automaton_fail(a, VARVE_NO_MEMORY);
        return NULL;
    }
    *step = (struct step){ .to = to,
        .text = { copy, key->text.size },
        .is_literal = key->is_literal };
    return step;
}

static struct step *find_or_add(
    struct vv_automaton *a, struct vv_pattern_place *from, struct step_key key)
{
    uint64_t hash = step_hash(vv_hash_of(key.text.bytes, key.text.size), from);
    key.from = from;
    struct step *step = vv_map_find(&a->steps, hash, is_step, &key);
    if (step)
        return step;
    step = automaton_add_step(a, &key, hash);
    if (!step)
        return NULL;
    step->from = from;
    if (key.is_literal) {
        from->has_literals = true;
    } else {
        step->next = from->first;
        from->first = step;
    }
    return step;
}

/* --- Steps with wildcards ----------------------------------------------- */

static bool has_step_key(const void *item, const void *key)
{
    return ((const struct step *)item)->key == *(const uint64_t *)key;
}

static uint64_t wild_key(const struct vv_pattern_place *from,
    struct vv_name_ends sizes, uint64_t key)
{
    uint64_t both = (uint64_t)sizes.begin << 32 | sizes.end;
    return vv_map_mix(vv_map_mix(key + both) + from->number) | 1;
}

/* Adds a step to `wild_steps`, by the literal ends of its pattern. */
static struct step *automaton_index(struct vv_automaton *a, struct step *step)
{
    struct vv_name_ends sizes;
    uint64_t key;
    if (!step || step->key)
        return step;
    vv_name_ends_of(step->text, false, &a->name, &sizes, &key);
    struct ends *ends = step->from->ends;
    while (ends &&
           (ends->sizes.begin != sizes.begin || ends->sizes.end != sizes.end))
        ends = ends->next;
    if (!ends) {
        ends = automaton_take(a, sizeof *ends);
        if (!ends)
            return NULL;
        *ends = (struct ends){ sizes, step->from->ends };
        step->from->ends = ends;
    }
    step->key = wild_key(step->from, sizes, key);
    struct step *first =
        vv_map_find(&a->wild_steps, step->key, has_step_key, &step->key);
    if (first) {
        step->alike = first->alike;
        first->alike = step;
    } else if (!vv_map_add(&a->wild_steps, step->key, step)) {
        automaton_fail(a, VARVE_NO_MEMORY);
    }
    if (a->name.failed)
        automaton_fail(a, VARVE_NO_MEMORY);
    return step;
}

/* --- Patterns ----------------------------------------------------------- */

typedef void on_end(
    struct vv_automaton *a, struct vv_pattern_place *place, const void *what);

static void add_patterns(struct vv_automaton *a, struct vv_pattern_place *from,
    struct vv_text patterns, unsigned depth, on_end *end, const void *what);

/* Adds a slot that is complete when a path in parentheses ends at this
 * place. */
static void add_closing(
    struct vv_automaton *a, struct vv_pattern_place *place, const void *what)
{
    struct closing *closing = place ? automaton_take(a, sizeof *closing) : NULL;
    if (!closing)
        return;
    *closing = (struct closing){ what, place->closings };
    place->closings = closing;
}

static struct vv_pattern_place *automaton_add_slot(struct vv_automaton *a,
    struct vv_pattern_place *from, struct vv_text name, struct vv_text inside,
    unsigned depth)
{
    struct step *step = find_or_add(a, from, (struct step_key){ .text = name });
    if (!step)
        return NULL;
    if (!step->base.bytes) {
        struct vv_text ignored;
        vv_name_split(step->text, &step->base, &ignored);
        if (depth + 1 < VV_PATTERN_MAX_DEPTH)
            add_patterns(a, a->inside, inside, depth + 1, add_closing, step);
    }
    return step->to;
}

static struct vv_pattern_place *add_deep(
    struct vv_automaton *a, struct vv_pattern_place *from)
{
    if (from->stays)
        return from;
    if (!from->deep)
        from->deep = new_place(a);
    if (from->deep)
        from->deep->stays = true;
    return from->deep;
}

static struct vv_pattern_place *add_literal(
    struct vv_automaton *a, struct vv_pattern_place *from, struct vv_text name)
{
    a->name.size = 0;
    vv_name_pattern_unescape(name, &a->name);
    if (a->name.failed) {
        automaton_fail(a, VARVE_NO_MEMORY);
        return NULL;
    }
    struct step_key key = { .is_literal = true,
        .text = { (const char *)a->name.data, a->name.size } };
    struct step *step = find_or_add(a, from, key);
    return step ? step->to : NULL;
}

static struct vv_pattern_place *automaton_add_name(struct vv_automaton *a,
    struct vv_pattern_place *from, struct vv_text name, unsigned depth)
{
    struct vv_text base, inside;
    switch (vv_name_split(name, &base, &inside)) {
    case VV_NAME_OF_NONE: return NULL; /* no name has this form */
    case VV_NAME_OF_SLOT:
        return automaton_add_slot(a, from, name, inside, depth);
    case VV_NAME_OF_EDGE: break;
    }
    if (vv_name_pattern_is_deep(name))
        return add_deep(a, from);
    if (vv_name_pattern_is_literal(name))
        return add_literal(a, from, name);
    struct step *step = automaton_index(
        a, find_or_add(a, from, (struct step_key){ .text = name }));
    return step ? step->to : NULL;
}

static void add_patterns(struct vv_automaton *a, struct vv_pattern_place *from,
    struct vv_text patterns, unsigned depth, on_end *end, const void *what)
{
    struct vv_text pattern, name;
    while (a->status == VARVE_OK && vv_text_next_pattern(&patterns, &pattern)) {
        struct vv_text rest = pattern;
        struct vv_pattern_place *place = rest.size > 0 ? from : NULL;
        while (place && vv_text_next_name(&rest, &name))
            place = automaton_add_name(a, place, name, depth);
        if (pattern.size > 0)
            end(a, place, what ? what : &pattern);
    }
}

/* --- States ------------------------------------------------------------- */

/* Adds a place to the set under construction, and all places that follow from
 * it. */
static void automaton_reach(
    struct vv_automaton *a, struct vv_pattern_place *place)
{
    for (; place && place->stamp != a->stamp; place = place->deep) {
        place->stamp = a->stamp;
        place->was_reached = true;
        vv_buffer_add(&a->found, &place, sizeof place);
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct vv_pattern_place *a = *(struct vv_pattern_place *const *)left;
    const struct vv_pattern_place *b = *(struct vv_pattern_place *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

static struct vv_pattern_place **found_places(
    struct vv_automaton *a, size_t *count)
{
    *count = a->found.size / sizeof(struct vv_pattern_place *);
    return (struct vv_pattern_place **)(void *)a->found.data;
}

/* Removes places without further steps. Returns true if one of them ends a
 * pattern, or `accepts` was true. */
static bool tidy(struct vv_automaton *a, bool accepts)
{
    size_t count, kept = 0;
    struct vv_pattern_place **places = found_places(a, &count);
    for (size_t i = 0; i < count; i++) {
        accepts |= places[i]->is_end;
        if (places[i]->first || places[i]->has_literals || places[i]->closings)
            places[kept++] = places[i];
    }
    a->found.size = kept * sizeof *places;
    if (kept > 1)
        qsort(places, kept, sizeof *places, compare_places);
    return accepts;
}

struct state_key {
    const struct vv_buffer *found;
    bool accepts;
};

static bool automaton_is_state(const void *item, const void *key)
{
    const struct vv_state *state = item;
    const struct state_key *wanted = key;
    size_t size = state->count * sizeof *state->places;
    return state->accepts == wanted->accepts && size == wanted->found->size &&
           (size == 0 || memcmp(state->places, wanted->found->data, size) == 0);
}

static size_t most_listed(const struct vv_automaton *a)
{
    return FEW_LISTED + MOST_LISTED_EACH * (size_t)a->place_count;
}

static struct vv_state *automaton_add_state(
    struct vv_automaton *a, bool accepts, uint64_t hash)
{
    size_t count;
    struct vv_pattern_place **places = found_places(a, &count);
    /* The total size of all states is limited, because some patterns have very
     * many. */
    a->listed += count + 1;
    if (a->listed > most_listed(a)) {
        automaton_fail(a, VARVE_LIMIT);
        return NULL;
    }
    struct vv_state *state =
        automaton_take(a, sizeof *state + count * sizeof *state->places);
    if (!state || !vv_map_add(&a->state_map, hash, state)) {
        automaton_fail(a, VARVE_NO_MEMORY);
        return NULL;
    }
    state->hash = hash;
    state->number = a->state_count++;
    state->count = (uint32_t)count;
    state->accepts = accepts;
    state->is_final = count == 0;
    if (count)
        memcpy(state->places, places, count * sizeof *places);
    return state;
}

/* Returns the state of the set under construction. */
static const struct vv_state *automaton_state_of(
    struct vv_automaton *a, bool accepts)
{
    accepts = tidy(a, accepts);
    if (a->found.failed)
        automaton_fail(a, VARVE_NO_MEMORY);
    if (a->status)
        return NULL;
    uint64_t hash =
        vv_map_mix(vv_hash_of(a->found.size ? (const char *)a->found.data : "",
                       a->found.size) +
                   accepts);
    struct state_key key = { &a->found, accepts };
    const struct vv_state *state =
        vv_map_find(&a->state_map, hash, automaton_is_state, &key);
    return state ? state : automaton_add_state(a, accepts, hash);
}

static void begin_state(struct vv_automaton *a)
{
    a->stamp++;
    a->found.size = 0;
}

/* Keeps a place that remains after any name: after a `**`, or a path in
 * parentheses that has ended, which holds for all descendants. */
static void stay(struct vv_automaton *a, struct vv_pattern_place *place)
{
    if (place->stays || place->closings)
        automaton_reach(a, place);
}

/* Follows the steps with wildcards that match a name; for a slot those that end
 * in a star. */
static void step_wildly(struct vv_automaton *a, struct vv_pattern_place *place,
    struct vv_text name, bool of_slot)
{
    uint64_t key;
    for (const struct ends *e = place->ends; e; e = e->next) {
        if (!vv_name_ends_key(name, e->sizes, &key))
            continue;
        key = wild_key(place, e->sizes, key);
        const struct step *s =
            vv_map_find(&a->wild_steps, key, has_step_key, &key);
        for (; s; s = s->alike) {
            if ((!of_slot || vv_name_pattern_ends_in_star(s->text)) &&
                vv_name_pattern_match(s->text, name, VV_PLAIN))
                automaton_reach(a, s->to);
        }
    }
}

static void step_from(struct vv_automaton *a, struct vv_pattern_place *place,
    struct vv_text name, uint64_t hash)
{
    stay(a, place);
    if (place->has_literals) {
        struct step_key key = { place, name, true };
        const struct step *step =
            vv_map_find(&a->steps, step_hash(hash, place), is_step, &key);
        automaton_reach(a, step ? step->to : NULL);
    }
    step_wildly(a, place, name, false);
}

const struct vv_state *vv_automaton_step(struct vv_automaton *a,
    const struct vv_state *state, const char *name, size_t size)
{
    if (!state || state->is_final)
        return state;
    uint64_t hash = vv_hash_of(name, size);
    begin_state(a);
    for (uint32_t i = 0; i < state->count; i++)
        step_from(a, state->places[i], (struct vv_text){ name, size }, hash);
    return automaton_state_of(a, state->accepts);
}

static bool has_place(
    const struct vv_state *state, const struct vv_pattern_place *key)
{
    return state->count && bsearch(&key, state->places, state->count,
                               sizeof *state->places, compare_places);
}

/* Adds the places to which a slot of this name leads by patterns without
 * parentheses, which must end in a star. */
static void slot_from(
    struct vv_automaton *a, struct vv_pattern_place *place, struct vv_text name)
{
    stay(a, place);
    step_wildly(a, place, name, true);
}

const struct vv_state *vv_automaton_slot(struct vv_automaton *a,
    const struct vv_state *owner, const struct vv_state *variable,
    const char *name, size_t size)
{
    struct vv_text text = { name, size };
    if (!owner || !variable || owner->is_final)
        return owner;
    begin_state(a);
    for (uint32_t i = 0; i < owner->count; i++)
        slot_from(a, owner->places[i], text);
    for (uint32_t i = 0; i < variable->count; i++) {
        for (const struct closing *c = variable->places[i]->closings; c;
             c = c->next) {
            if (has_place(owner, c->step->from) &&
                vv_name_pattern_match(c->step->base, text, VV_PLAIN))
                automaton_reach(a, c->step->to);
        }
    }
    return automaton_state_of(a, owner->accepts);
}

/* --- Public functions --------------------------------------------------- */

static void add_alternative(
    struct vv_automaton *a, struct vv_pattern_place *place, const void *what)
{
    if (!vv_grow_array(a->allocator, &a->alternatives, &a->alternative_capacity,
            a->alternative_count, sizeof *a->alternatives)) {
        automaton_fail(a, VARVE_NO_MEMORY);
        return;
    }
    a->alternatives[a->alternative_count++] =
        (struct vv_alternative){ *(const struct vv_text *)what, place };
    if (place)
        place->is_end = true;
}

static void compile(struct vv_automaton *a, const char *patterns)
{
    size_t size = strlen(patterns);
    const char *copy = vv_arena_text(&a->arena, patterns, size);
    a->outside = new_place(a);
    a->inside = new_place(a);
    if (!copy || !a->outside || !a->inside) {
        automaton_fail(a, VARVE_NO_MEMORY);
        return;
    }
    add_patterns(a, a->outside, (struct vv_text){ copy, size }, 0,
        add_alternative, NULL);
    begin_state(a);
    automaton_reach(a, a->outside);
    automaton_reach(a, a->inside);
    a->start = automaton_state_of(a, false);
}

varve_status vv_automaton_begin(struct vv_automaton *a,
    const varve_allocator *allocator, const char *patterns, varve_error *error)
{
    *a = (struct vv_automaton){ .allocator = allocator };
    vv_arena_init(&a->arena, allocator);
    vv_map_init(&a->steps, allocator);
    vv_map_init(&a->wild_steps, allocator);
    vv_map_init(&a->state_map, allocator);
    vv_buffer_init(&a->found, allocator);
    vv_buffer_init(&a->name, allocator);
    compile(a, patterns ? patterns : "");
    varve_status status = vv_automaton_fail(a, error);
    if (status)
        vv_automaton_end(a);
    return status;
}

void vv_automaton_end(struct vv_automaton *a)
{
    if (!a->allocator)
        return;
    vv_release(a->allocator, a->alternatives,
        a->alternative_capacity * sizeof *a->alternatives);
    vv_map_clear(&a->steps);
    vv_map_clear(&a->wild_steps);
    vv_map_clear(&a->state_map);
    vv_buffer_clear(&a->found);
    vv_buffer_clear(&a->name);
    vv_arena_clear(&a->arena);
    *a = (struct vv_automaton){ 0 };
}

bool vv_alternative_was_used(const struct vv_alternative *alternative)
{
    return alternative->end && alternative->end->was_reached;
}

varve_status vv_automaton_fail(const struct vv_automaton *a, varve_error *error)
{
    if (a->status == VARVE_NO_MEMORY)
        return vv_fail_memory(error, "patterns");
    if (a->status == VARVE_OK)
        return VARVE_OK;
    const struct vv_text *first = &a->alternatives[0].text;
    return vv_fail(error, a->status,
        "\"%.*s\": the patterns are too complex: they need more than %zu "
        "states",
        (int)(first->size < 200 ? first->size : 200), first->bytes,
        most_listed(a));
}
