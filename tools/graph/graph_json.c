/* graph_json.c - Prints nodes and edges of the graph as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "store_path.h"

enum { MOST_OF_A_NAME = 4095 }; /* limit of names, as for paths */

/* Returns a name, or "..." and its end: a file can have a name of 64 KiB at
 * every edge. */
static const char *shown(const char *name, char room[MOST_OF_A_NAME + 1])
{
    size_t size = strlen(name);
    if (size <= MOST_OF_A_NAME)
        return name;
    const char *end = name + size - MOST_OF_A_NAME + strlen("...");
    while (((unsigned char)*end & 0xc0) == 0x80)
        end++;
    snprintf(room, MOST_OF_A_NAME + 1, "...%s", end);
    return room;
}

static json_t *item_of(const struct outline *outline, uint32_t id)
{
    varve_saved_node node = outline_saved(outline, id);
    json_t *item = json_pack("{s:I, s:s, s:s, s:o}", "id", (json_int_t)id,
        "path", node.path, "kind", kind_name(node.kind), "bytes",
        json_count(outline->nodes[id].bytes));
    if (!item || !node.value.dtype)
        return item;
    json_t *shape = json_array();
    for (uint32_t i = 0; i < node.value.rank; i++)
        json_array_append_new(shape, json_count(node.value.shape[i]));
    json_object_set_new(
        item, "dtype", json_string(varve_dtype_name(node.value.dtype)));
    json_object_set_new(item, "shape", shape);
    json_object_set_new(item, "saved", json_boolean(node.has_value));
    return item;
}

/* Returns an edge as JSON. A slot also contains the variable it belongs to. */
static json_t *edge_of(uint32_t from, const struct branch *branch)
{
    char room[MOST_OF_A_NAME + 1];
    json_t *edge = json_pack("{s:I, s:I, s:s, s:s}", "from", (json_int_t)from,
        "to", (json_int_t)branch->node, "name", shown(branch->name, room),
        "kind", branch->variable == OUTLINE_NONE ? "edge" : "slot");
    if (edge && branch->variable != OUTLINE_NONE)
        json_object_set_new(edge, "variable", json_integer(branch->variable));
    return edge;
}

static size_t print_edges(
    const struct outline *outline, uint32_t from, FILE *to, size_t printed)
{
    struct branch branch;
    for (size_t i = 0; outline_branch(outline, from, i, &branch); i++) {
        if (outline_has(outline, branch.node) &&
            outline_shows(outline, from, &branch))
            json_print_element(to, edge_of(from, &branch), printed++);
    }
    return printed;
}

bool graph_json(const struct outline *outline, FILE *to)
{
    size_t printed = 0;
    fputs("{\"schema\":\"varve.graph/1\",\"file\":", to);
    json_print_text(to, shown_path(varve_reader_path(outline->reader)));
    fputs(",\n\"items\":[", to);
    for (size_t i = 0; i < outline->reached; i++) {
        if (outline_has(outline, outline->order[i]))
            json_print_element(
                to, item_of(outline, outline->order[i]), printed++);
    }
    fputs("],\n\"edges\":[", to);
    printed = 0;
    for (size_t i = 0; i < outline->reached; i++) {
        if (outline_has(outline, outline->order[i]))
            printed = print_edges(outline, outline->order[i], to, printed);
    }
    fputs("]}\n", to);
    return true;
}
