/* cycles.c - Finds strongly connected components with Tarjan's algorithm and an
 * explicit stack, because a file can contain a chain of a million nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cycles.h"

#include <stdlib.h>

/* 0 in `component`: not known yet; in `number`: not visited yet. */
struct search {
    const struct outline *outline;
    uint32_t *component;
    uint32_t *number; /* order in which nodes were visited, from 1 */
    uint32_t *low;    /* smallest number that is reachable from below */
    size_t *next;     /* next edge to follow */
    uint32_t *path;   /* from the root to the current node */
    uint32_t *open;   /* visited, not assigned to a component yet */
    size_t path_count;
    size_t open_count;
    uint32_t met;
    uint32_t components;
};

static void meet(struct search *s, uint32_t node)
{
    s->number[node] = s->low[node] = ++s->met;
    s->path[s->path_count++] = node;
    s->open[s->open_count++] = node;
}

/* Leaves the last node of the path, after everything below it was visited. */
static void leave(struct search *s)
{
    uint32_t node = s->path[--s->path_count];
    if (s->low[node] == s->number[node]) {
        uint32_t member;
        s->components++;
        do {
            member = s->open[--s->open_count];
            s->component[member] = s->components;
        } while (member != node);
    }
    if (s->path_count > 0) {
        uint32_t above = s->path[s->path_count - 1];
        if (s->low[node] < s->low[above])
            s->low[above] = s->low[node];
    }
}

static void look(struct search *s)
{
    const char *name;
    uint32_t child;
    meet(s, s->outline->root);
    while (s->path_count > 0) {
        uint32_t node = s->path[s->path_count - 1];
        if (!varve_reader_edge_at(
                s->outline->reader, node, s->next[node]++, &name, &child))
            leave(s);
        else if (s->number[child] == 0)
            meet(s, child);
        else if (s->component[child] == 0 && s->number[child] < s->low[node])
            s->low[node] = s->number[child];
    }
}

uint32_t *cycles_find(const struct outline *outline)
{
    size_t count = outline->count + 1;
    struct search s = { .outline = outline,
        .component = calloc(count, sizeof *s.component),
        .number = calloc(count, sizeof *s.number),
        .low = calloc(count, sizeof *s.low),
        .next = calloc(count, sizeof *s.next),
        .path = calloc(count, sizeof *s.path),
        .open = calloc(count, sizeof *s.open) };
    bool good = s.component && s.number && s.low && s.next && s.path && s.open;
    if (good)
        look(&s);
    free(s.number);
    free(s.low);
    free(s.next);
    free(s.path);
    free(s.open);
    if (!good)
        free(s.component);
    return good ? s.component : NULL;
}
