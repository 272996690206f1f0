/* ls_json.c - Prints the output of varve ls as JSON, node by node.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "heading.h"
#include "json_out.h"
#include "ls.h"
#include "store_path.h"
#include "value_list.h"
#include "tensor_text.h"

static void print_numbers(const uint64_t *numbers, uint32_t count)
{
    putchar('[');
    for (uint32_t i = 0; i < count; i++)
        printf("%s%" PRIu64, i ? "," : "", numbers[i]);
    putchar(']');
}

/* Prints the part, if the value is one. */
static void print_part(const varve_slice *part)
{
    if (!part)
        return;
    fputs(",\"part\":{\"shape\":", stdout);
    print_numbers(part->shape.extents, part->shape.rank);
    fputs(",\"start\":", stdout);
    print_numbers(part->start, part->shape.rank);
    putchar('}');
}

static void print_item(const varve_saved_node *node)
{
    char digest[DIGEST_TEXT_SIZE];
    fputs("{\"path\":", stdout);
    json_print_text(stdout, node->path);
    printf(",\"id\":%" PRIu32 ",\"kind\":\"%s\",\"dtype\":\"%s\",\"shape\":",
        node->id, kind_name(node->kind), varve_dtype_name(node->value.dtype));
    print_numbers(node->value.shape, node->value.rank);
    print_part(node->part);
    fputs(",\"global_name\":", stdout);
    json_print_text(stdout, node->global_name);
    if (!node->has_value) {
        fputs(",\"bytes\":null,\"digest\":null,\"file\":null,"
              "\"offset\":null,\"saved\":false}",
            stdout);
        return;
    }
    digest_text(node->digest, digest);
    printf(",\"bytes\":%" PRIu64 ",\"digest\":", node->size);
    json_print_text(stdout, *digest == '-' ? NULL : digest);
    fputs(",\"file\":", stdout);
    json_print_text(stdout, shown_path(node->file));
    if (node->file)
        printf(",\"offset\":%" PRIu64, node->offset);
    else
        fputs(",\"offset\":null", stdout);
    fputs(",\"saved\":true}", stdout);
}

/* Prints edges directly, because a node can have a million of them. */
static void print_edges(const struct outline *outline, uint32_t id)
{
    const char *name;
    uint32_t child;
    for (size_t i = 0;
         varve_reader_edge_at(outline->reader, id, i, &name, &child); i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        json_print_text(stdout, name);
        printf(",\"node\":%" PRIu32 "}", child);
    }
}

static void print_slots(const struct outline *outline, uint32_t id)
{
    const char *name;
    uint32_t variable;
    uint32_t slot;
    for (size_t i = 0;
         varve_reader_slot_at(outline->reader, id, i, &name, &variable, &slot);
         i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        json_print_text(stdout, name);
        printf(
            ",\"variable\":%" PRIu32 ",\"node\":%" PRIu32 "}", variable, slot);
    }
}

static void print_tags(const struct outline *outline, uint32_t id)
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(outline->reader, id, i));
         i++) {
        fputs(i ? "," : "", stdout);
        json_print_text(stdout, tag);
    }
}

static void print_object(const struct outline *outline, uint32_t id)
{
    varve_saved_node node = outline_saved(outline, id);
    printf("{\"id\":%" PRIu32 ",\"kind\":\"%s\",\"path\":", id,
        kind_name(node.kind));
    json_print_text(stdout, node.path);
    fputs(",\"edges\":[", stdout);
    print_edges(outline, id);
    fputs("],\"slots\":[", stdout);
    print_slots(outline, id);
    fputs("],\"tags\":[", stdout);
    print_tags(outline, id);
    fputs("]}", stdout);
}

/* Prints the digest of the whole file. For another format it is not known
 * without reading the whole file, which varve verify does. */
static void print_digest(varve_reader *reader)
{
    uint8_t digest[16];
    char text[DIGEST_TEXT_SIZE];
    bool is_known = varve_reader_format(reader) == VARVE_FORMAT_VARVE &&
                    varve_reader_digest(reader, digest, NULL) == VARVE_OK;
    fputs(",\"digest\":", stdout);
    json_print_text(stdout, is_known ? digest_text(digest, text) : NULL);
}

static void print_items(const struct outline *outline, const uint32_t *ids,
    size_t count, bool lines)
{
    for (size_t i = 0; i < count; i++) {
        varve_saved_node node = outline_saved(outline, ids[i]);
        fputs(lines ? "" : i ? ",\n" : "\n", stdout);
        print_item(&node);
        fputs(lines ? "\n" : "", stdout);
    }
}

static void print_objects(const struct outline *outline)
{
    for (size_t i = 0, printed = 0; i < outline->reached; i++) {
        uint32_t id = outline->order[i];
        if (!outline_has(outline, id))
            continue;
        fputs(printed++ ? ",\n" : "\n", stdout);
        print_object(outline, id);
    }
}

bool ls_json(const struct settings *settings, const struct outline *outline)
{
    bool lines = settings->form == FORM_JSONL;
    size_t count;
    uint32_t *ids = value_list(outline->view, outline, &count);
    if (!ids)
        return false;
    if (!lines) {
        putchar('{');
        heading_print_json("varve.ls/1", outline->reader);
        print_digest(outline->reader);
        fputs(",\n\"items\":[", stdout);
    }
    print_items(outline, ids, count, lines);
    free(ids);
    if (!lines) {
        fputs("],\n\"objects\":[", stdout);
        print_objects(outline);
        puts("]}");
    }
    return true;
}
