/* show_json.c - Prints the output of varve show as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "array_text.h"
#include "element_text.h"
#include "heading.h"
#include "json_out.h"
#include "show_parts.h"
#include "store_path.h"
#include "tensor_text.h"

static void print_key(const char *key)
{
    printf(",\n\"%s\":", key);
}

static void print_text(const char *key, const char *text)
{
    print_key(key);
    json_print_text(stdout, text);
}

static void print_shape(const char *key, const varve_tensor *tensor)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    print_key(key);
    fputs(tensor->dtype ? shape_text(tensor, text) : "null", stdout);
}

static bool print_path(void *user, const char *path)
{
    size_t *count = user;
    fputs((*count)++ ? "," : "", stdout);
    json_print_text(stdout, path);
    return true;
}

/* --- Graph -------------------------------------------------------------- */

static void print_names(const struct subject *s)
{
    const char *tag;
    size_t count = 0;
    print_key("tags");
    for (size_t i = 0;
         (tag = varve_reader_tag_at(s->outline.reader, s->node.id, i)); i++) {
        fputs(i ? "," : "[", stdout);
        json_print_text(stdout, tag);
    }
    fputs(s->node.tag_count ? "]" : "[]", stdout);
    print_text("global_name", s->node.global_name);
    print_key("paths");
    putchar('[');
    if (s->node.id == 0)
        print_path(&count, "");
    each_path(&s->outline, s->node.id, print_path, &count);
    putchar(']');
}

static void print_branch(const struct subject *s, const struct branch *branch)
{
    varve_saved_node node = outline_saved(&s->outline, branch->node);
    fputs("{\"name\":", stdout);
    json_print_text(stdout, branch->name);
    if (branch->variable != OUTLINE_NONE) {
        fputs(",\"variable\":", stdout);
        json_print_text(
            stdout, outline_saved(&s->outline, branch->variable).path);
    }
    fputs(",\"path\":", stdout);
    json_print_text(stdout, node.path);
    printf(",\"kind\":\"%s\"}", kind_name(node.kind));
}

static void print_branches(const struct subject *s)
{
    struct branch branch;
    size_t edges = s->node.edge_count;
    print_key("edges");
    putchar('[');
    for (size_t i = 0; outline_branch(&s->outline, s->node.id, i, &branch);
         i++) {
        if (i == edges) {
            putchar(']');
            print_key("slots");
            putchar('[');
        } else if (i > 0) {
            fputs(",\n", stdout);
        }
        print_branch(s, &branch);
    }
    putchar(']');
    if (s->node.slot_count == 0) {
        print_key("slots");
        fputs("[]", stdout);
    }
}

/* --- Value -------------------------------------------------------------- */

static void print_saved(const struct subject *s)
{
    char digest[DIGEST_TEXT_SIZE];
    const varve_saved_node *node = &s->node;
    digest_text(node->digest, digest);
    print_key("bytes");
    if (node->has_value)
        printf("%" PRIu64, node->size);
    else
        fputs("null", stdout);
    print_text("digest", node->has_value && *digest != '-' ? digest : NULL);
    print_text("value_file", node->has_value ? shown_path(node->file) : NULL);
    print_key("offset");
    if (node->has_value && node->file)
        printf("%" PRIu64, node->offset);
    else
        fputs("null", stdout);
}

static void print_elements(varve_dtype dtype, const struct piece *piece)
{
    char text[ELEMENT_TEXT_SIZE];
    size_t size = varve_dtype_size(dtype);
    const varve_string *strings = (const void *)piece->bytes;
    for (uint64_t i = 0; i < piece->count; i++) {
        fputs(piece->first + i ? "," : "", stdout);
        if (dtype == VARVE_STRING)
            json_print(
                stdout, json_bytes(strings[i].data, (size_t)strings[i].size));
        else
            fputs(element_text(dtype, piece->bytes + i * size, true, text),
                stdout);
    }
}

static varve_status print_values(struct subject *s, varve_error *error)
{
    struct piece piece;
    varve_status status = VARVE_OK;
    varve_tensor tensor = selection_tensor(&s->selection);
    uint64_t count = selection_count(&s->selection);
    print_text("slice", s->options->slice);
    print_shape("part", &tensor);
    print_key("values");
    if (!s->node.has_value || (count > MOST_ELEMENTS && !s->options->full)) {
        fputs("null", stdout);
        return VARVE_OK;
    }
    putchar('[');
    pieces_begin(&s->pieces, &s->selection);
    while ((status = pieces_next(&s->pieces, &piece, error)) == VARVE_OK &&
           piece.count > 0)
        print_elements(s->node.value.dtype, &piece);
    putchar(']');
    return status;
}

static void print_statistics(const struct subject *s)
{
    print_key("statistics");
    if (s->has_statistics) {
        putchar('{');
        statistics_print_json(stdout, &s->statistics, &s->selection);
        putchar('}');
    } else {
        fputs("null", stdout);
    }
    print_key("histogram");
    if (s->has_statistics)
        histogram_print_json(stdout, &s->statistics);
    else
        fputs("null", stdout);
}

varve_status show_json(struct subject *s, varve_error *error)
{
    const varve_tensor *tensor = &s->node.value;
    putchar('{');
    heading_print_json("varve.show/1", s->outline.reader);
    print_text("path", s->node.path);
    print_text("kind", kind_name(s->node.kind));
    print_text("dtype", tensor->dtype ? varve_dtype_name(tensor->dtype) : NULL);
    print_shape("shape", tensor);
    print_key("saved");
    fputs(s->node.has_value ? "true" : "false", stdout);
    print_saved(s);
    print_names(s);
    print_branches(s);
    print_statistics(s);
    varve_status status = print_values(s, error);
    puts("}");
    return status;
}
