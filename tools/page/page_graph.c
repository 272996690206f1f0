/* page_graph.c - Prints each name once, and everything else as numbers, so that
 * a browser loads a page with a hundred thousand nodes quickly.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_graph.h"

#include <stdlib.h>
#include <string.h>

#include "page_out.h"
#include "memory.h"
#include "store_path.h"

/* --- The file ----------------------------------------------------------- */

static void print_metadata_value(FILE *to, const varve_metadata *item)
{
    switch (item->kind) {
    /* as a string, because JavaScript numbers do not have 64 bits */
    case VARVE_METADATA_INTEGER:
        fputs(item->integer < 0 ? "\"-" : "\"", to);
        page_out_number(to, item->integer < 0 ? 0 - (uint64_t)item->integer
                                              : (uint64_t)item->integer);
        fputs("\"", to);
        break;
    case VARVE_METADATA_REAL: page_out_real(to, item->real); break;
    case VARVE_METADATA_BOOLEAN:
        fputs(item->integer ? "true" : "false", to);
        break;
    case VARVE_METADATA_STRING: page_out_text(to, item->string); break;
    }
}

static void print_metadata(FILE *to, const varve_reader *reader)
{
    const varve_metadata *item;
    fputs("\"metadata\":[", to);
    for (size_t i = 0; (item = varve_reader_metadata_at(reader, i)); i++) {
        page_out_comma(to, i);
        fputs("[", to);
        page_out_text(to, item->name);
        fputs(",", to);
        print_metadata_value(to, item);
        fputs("]", to);
    }
    fputs("],\n", to);
}

void page_print_file(FILE *to, const varve_reader *reader)
{
    fputs("\"file\":", to);
    page_out_text(to, shown_path(varve_reader_path(reader)));
    fputs(",\"format\":", to);
    page_out_text(to, varve_format_name(varve_reader_format(reader)));
    fputs(",\"size\":", to);
    page_out_number(to, varve_reader_size(reader));
    fputs(",\"counter\":", to);
    page_out_number(to, varve_reader_counter(reader));
    fputs(",\n", to);
    print_metadata(to, reader);
}

/* --- Edges, slots, tags and global names -------------------------------- */

/* An edge, slot, tag or global name: its node, its name, and its target. */
struct link {
    uint32_t node;
    uint32_t child;
    uint32_t variable; /* for a slot */
    const char *name;
};

struct links {
    struct link *items;
    size_t count;
    size_t room;
};

static void add(struct links *l, struct link link)
{
    l->items = memory_grow(l->items, &l->room, l->count, sizeof link);
    l->items[l->count++] = link;
}

struct graph {
    const varve_reader *reader;
    struct links edges, slots, tags, globals;
    const char **names; /* sorted, without duplicates */
    size_t name_count;
};

static void take_node(struct graph *g, const varve_saved_node *node)
{
    struct link link = { .node = node->id };
    for (size_t i = 0;
         varve_reader_edge_at(g->reader, node->id, i, &link.name, &link.child);
         i++)
        add(&g->edges, link);
    for (size_t i = 0; varve_reader_slot_at(
             g->reader, node->id, i, &link.name, &link.variable, &link.child);
         i++)
        add(&g->slots, link);
    for (size_t i = 0;
         (link.name = varve_reader_tag_at(g->reader, node->id, i)); i++)
        add(&g->tags, link);
    link.name = node->global_name;
    if (link.name)
        add(&g->globals, link);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void take_names(struct graph *g)
{
    const struct links *all[] = { &g->edges, &g->slots, &g->tags, &g->globals };
    size_t count = 0, kept = 0;
    g->names = memory_allocate(
        g->edges.count + g->slots.count + g->tags.count + g->globals.count + 1,
        sizeof *g->names);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (size_t i = 0; i < all[k]->count; i++)
            g->names[count++] = all[k]->items[i].name;
    }
    qsort(g->names, count, sizeof *g->names, compare_names);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(g->names[kept - 1], g->names[i]) != 0)
            g->names[kept++] = g->names[i];
    }
    g->name_count = kept;
}

static size_t number_of(const struct graph *g, const char *name)
{
    const char *const *found = bsearch(
        &name, g->names, g->name_count, sizeof *g->names, compare_names);
    return (size_t)(found - (const char *const *)g->names);
}

static void print_names(FILE *to, const struct graph *g)
{
    fputs("\"names\":[", to);
    for (size_t i = 0; i < g->name_count; i++) {
        page_out_comma(to, i);
        page_out_text(to, g->names[i]);
    }
    fputs("],\n", to);
}

enum part { PART_NODE, PART_CHILD, PART_VARIABLE, PART_NAME };

static void print_column(FILE *to, const struct graph *g, const char *name,
    const struct links *links, enum part part)
{
    fprintf(to, "\"%s\":[", name);
    for (size_t i = 0; i < links->count; i++) {
        const struct link *link = &links->items[i];
        page_out_comma(to, i);
        page_out_number(to, part == PART_NODE       ? link->node
                            : part == PART_CHILD    ? link->child
                            : part == PART_VARIABLE ? link->variable
                                                    : number_of(g, link->name));
    }
    fputs("],\n", to);
}

static void print_links(FILE *to, const struct graph *g)
{
    print_column(to, g, "edge_names", &g->edges, PART_NAME);
    print_column(to, g, "edge_children", &g->edges, PART_CHILD);
    print_column(to, g, "slot_owners", &g->slots, PART_NODE);
    print_column(to, g, "slot_variables", &g->slots, PART_VARIABLE);
    print_column(to, g, "slot_names", &g->slots, PART_NAME);
    print_column(to, g, "slot_nodes", &g->slots, PART_CHILD);
    print_column(to, g, "tag_nodes", &g->tags, PART_NODE);
    print_column(to, g, "tag_names", &g->tags, PART_NAME);
    print_column(to, g, "global_nodes", &g->globals, PART_NODE);
    print_column(to, g, "global_names", &g->globals, PART_NAME);
}

/* --- Nodes and values ---------------------------------------------------- */

static void print_nodes(FILE *to, const varve_reader *reader)
{
    varve_saved_node node;
    fputs("\"kinds\":\"", to);
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        putc('0' + (int)node.kind, to);
    fputs("\",\n\"edge_counts\":[", to);
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        page_out_comma(to, i);
        page_out_number(to, node.edge_count);
    }
    fputs("],\n", to);
}

/* Finds the next node with type and shape; it may have no value. Returns false
 * if there is none. */
static bool next_value(
    const varve_reader *reader, size_t *at, varve_saved_node *node)
{
    while (varve_reader_node_at(reader, *at, node)) {
        ++*at;
        if (node->value.dtype)
            return true;
    }
    return false;
}

static void print_value_nodes(FILE *to, const varve_reader *reader)
{
    varve_saved_node node;
    fputs("\"value_nodes\":[", to);
    for (size_t at = 0, v = 0; next_value(reader, &at, &node); v++) {
        page_out_comma(to, v);
        page_out_number(to, node.id);
    }
    fputs("],\n\"dtypes\":[0", to);
    for (int i = 1; i <= VARVE_DTYPE_COUNT; i++) {
        fputs(",", to);
        page_out_text(to, varve_dtype_name((varve_dtype)i));
    }
    fputs("],\n", to);
}

/* Prints the number of the type, then the extents. */
static void print_types(FILE *to, const varve_reader *reader)
{
    varve_saved_node node;
    fputs("\"types\":[", to);
    for (size_t at = 0, v = 0; next_value(reader, &at, &node); v++) {
        page_out_comma(to, v);
        fputs("[", to);
        page_out_number(to, node.value.dtype);
        for (uint32_t i = 0; i < node.value.rank; i++) {
            fputs(",", to);
            page_out_number(to, node.value.shape[i]);
        }
        fputs("]", to);
    }
    fputs("],\n", to);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Prints size and offset of each value. For each value whose file differs
 * from that of the value before, prints the number of the value and the file.
 */
static void print_places(FILE *to, const varve_reader *reader)
{
    varve_saved_node node;
    fputs("\"places\":[", to);
    for (size_t at = 0, v = 0; next_value(reader, &at, &node); v++) {
        page_out_comma(to, v);
        page_out_number(to, node.size);
        fputs(",", to);
        page_out_number(to, node.file ? node.offset : 0);
        fputs(node.has_value ? ",1" : ",0", to);
    }
    fputs("],\n\"files\":[", to);
    const char *last = NULL;
    for (size_t at = 0, v = 0, count = 0; next_value(reader, &at, &node); v++) {
        if (is_same(last, node.file))
            continue;
        last = node.file;
        page_out_comma(to, count++);
        page_out_number(to, v);
        fputs(",", to);
        page_out_text(to, shown_path(last));
    }
    fputs("],\n", to);
}

static void print_digests(FILE *to, const varve_reader *reader)
{
    varve_saved_node node;
    bool has_any = varve_reader_format(reader) == VARVE_FORMAT_VARVE;
    fputs("\"digests\":\"", to);
    for (size_t at = 0; has_any && next_value(reader, &at, &node);) {
        for (size_t i = 0; i < sizeof node.digest; i++)
            fprintf(to, "%02x", node.digest[i]);
    }
    fputs("\",\n", to);
}

void page_print_graph(FILE *to, const varve_reader *reader)
{
    struct graph g = { .reader = reader };
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        take_node(&g, &node);
    take_names(&g);
    print_names(to, &g);
    print_nodes(to, reader);
    print_links(to, &g);
    print_value_nodes(to, reader);
    print_types(to, reader);
    print_places(to, reader);
    print_digests(to, reader);
    free(g.edges.items);
    free(g.slots.items);
    free(g.tags.items);
    free(g.globals.items);
    free(g.names);
}
