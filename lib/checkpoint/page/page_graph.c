/* page_graph.c - names once, everything else as numbers: a page of a hundred
 * thousand nodes is read by a browser in a moment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_graph.h"

#include <string.h>

#include "index.h"

/* --- The file ----------------------------------------------------------- */

static void add_metadata_value(
    struct vv_page_out *out, const varve_metadata *item)
{
    switch (item->kind) {
    case VARVE_METADATA_INTEGER: /* as a string: it may have 64 bits */
        vv_page_out_text(out, item->integer < 0 ? "\"-" : "\"");
        vv_page_out_number(out, item->integer < 0 ? 0 - (uint64_t)item->integer
                                                  : (uint64_t)item->integer);
        vv_page_out_text(out, "\"");
        break;
    case VARVE_METADATA_REAL: vv_page_out_real(out, item->real); break;
    case VARVE_METADATA_BOOLEAN:
        vv_page_out_text(out, item->integer ? "true" : "false");
        break;
    case VARVE_METADATA_STRING: vv_page_out_maybe(out, item->string); break;
    }
}

static void add_metadata(struct vv_page_out *out, const varve_reader *reader)
{
    const varve_metadata *item;
    vv_page_out_text(out, "\"metadata\":[");
    for (size_t i = 0; (item = varve_reader_metadata_at(reader, i)); i++) {
        vv_page_out_comma(out, i);
        vv_page_out_text(out, "[");
        vv_page_out_maybe(out, item->name);
        vv_page_out_text(out, ",");
        add_metadata_value(out, item);
        vv_page_out_text(out, "]");
    }
    vv_page_out_text(out, "],\n");
}

void vv_page_add_file(struct vv_page_out *out, const varve_reader *reader)
{
    vv_page_out_text(out, "\"file\":");
    vv_page_out_maybe(out, varve_reader_path(reader));
    vv_page_out_text(out, ",\"format\":");
    vv_page_out_maybe(out, varve_format_name(varve_reader_format(reader)));
    vv_page_out_text(out, ",\"size\":");
    vv_page_out_number(out, varve_reader_size(reader));
    vv_page_out_text(out, ",\"counter\":");
    vv_page_out_number(out, varve_reader_counter(reader));
    vv_page_out_text(out, ",\n");
    add_metadata(out, reader);
}

/* --- The graph ---------------------------------------------------------- */

static void add_names(struct vv_page_out *out, const struct vv_index *index)
{
    vv_page_out_text(out, "\"names\":[");
    for (uint32_t i = 0; i < index->name_count; i++) {
        size_t size;
        const char *name = vv_index_name(index, i, &size);
        vv_page_out_comma(out, i);
        vv_page_out_string(out, name, size);
    }
    vv_page_out_text(out, "],\n");
}

static void add_column(struct vv_page_out *out, const char *name,
    const uint8_t *column, uint32_t count)
{
    vv_page_out_text(out, "\"");
    vv_page_out_text(out, name);
    vv_page_out_text(out, "\":[");
    for (uint32_t i = 0; i < count; i++) {
        vv_page_out_comma(out, i);
        vv_page_out_number(out, vv_at32(column, i));
    }
    vv_page_out_text(out, "],\n");
}

static void add_nodes(struct vv_page_out *out, const struct vv_index *index)
{
    char kind[2] = { 0 };
    vv_page_out_text(out, "\"kinds\":\"");
    for (uint32_t i = 0; i < index->node_count; i++) {
        kind[0] = (char)('0' + vv_index_kind(index, i));
        vv_page_out_text(out, kind);
    }
    vv_page_out_text(out, "\",\n\"edge_counts\":[");
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint32_t begin, end;
        vv_index_edges(index, i, &begin, &end);
        vv_page_out_comma(out, i);
        vv_page_out_number(out, end - begin);
    }
    vv_page_out_text(out, "],\n");
}

/* --- Values -------------------------------------------------------------- */

static void add_dtypes(struct vv_page_out *out)
{
    vv_page_out_text(out, "\"dtypes\":[0");
    for (int i = 1; i <= VARVE_DTYPE_COUNT; i++) {
        vv_page_out_text(out, ",");
        vv_page_out_maybe(out, varve_dtype_name((varve_dtype)i));
    }
    vv_page_out_text(out, "],\n");
}

/* The number of the type, then the extents. */
static void add_type(struct vv_page_out *out, const varve_tensor *value)
{
    vv_page_out_text(out, "[");
    vv_page_out_number(out, value->dtype);
    for (uint32_t i = 0; i < value->rank; i++) {
        vv_page_out_text(out, ",");
        vv_page_out_number(out, value->shape[i]);
    }
    vv_page_out_text(out, "]");
}

static void add_types(struct vv_page_out *out, const varve_reader *reader)
{
    const struct vv_index *index = &reader->file.parsed.index;
    vv_page_out_text(out, "\"types\":[");
    for (uint32_t v = 0; v < index->value_count; v++) {
        varve_tensor value =
            vv_index_tensor(index, &reader->file.parsed.table, v);
        vv_page_out_comma(out, v);
        add_type(out, &value);
    }
    vv_page_out_text(out, "],\n");
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Size and place of each value, and where the file is another one than that of
 * the value before, its number and that file. */
static void add_places(struct vv_page_out *out, const varve_reader *reader)
{
    const struct vv_index *index = &reader->file.parsed.index;
    varve_saved_node node = { 0 };
    vv_page_out_text(out, "\"places\":[");
    for (uint32_t v = 0; v < index->value_count; v++) {
        vv_reader_describe(reader, vv_at32(index->value_nodes, v), &node);
        vv_page_out_comma(out, v);
        vv_page_out_number(out, node.size);
        vv_page_out_text(out, ",");
        vv_page_out_number(out, node.file ? node.offset : 0);
        vv_page_out_text(out, node.has_value ? ",1" : ",0");
    }
    vv_page_out_text(out, "],\n\"files\":[");
    const char *last = NULL;
    for (uint32_t v = 0, count = 0; v < index->value_count; v++) {
        vv_reader_describe(reader, vv_at32(index->value_nodes, v), &node);
        if (is_same(last, node.file))
            continue;
        last = node.file;
        vv_page_out_comma(out, count++);
        vv_page_out_number(out, v);
        vv_page_out_text(out, ",");
        vv_page_out_maybe(out, last);
    }
    vv_page_out_text(out, "],\n");
}

static void add_digests(struct vv_page_out *out, const varve_reader *reader)
{
    static const char digits[] = "0123456789abcdef";
    const struct vv_index *index = &reader->file.parsed.index;
    varve_saved_node node = { 0 };
    bool has_any = varve_reader_format(reader) == VARVE_FORMAT_VARVE;
    vv_page_out_text(out, "\"digests\":\"");
    for (uint32_t v = 0; has_any && v < index->value_count; v++) {
        char text[2 * sizeof node.digest + 1] = { 0 };
        vv_reader_describe(reader, vv_at32(index->value_nodes, v), &node);
        for (size_t i = 0; i < sizeof node.digest; i++) {
            text[2 * i] = digits[node.digest[i] >> 4];
            text[2 * i + 1] = digits[node.digest[i] & 15];
        }
        vv_page_out_text(out, text);
    }
    vv_page_out_text(out, "\",\n");
}

void vv_page_add_graph(struct vv_page_out *out, const varve_reader *reader)
{
    const struct vv_index *index = &reader->file.parsed.index;
    add_names(out, index);
    add_nodes(out, index);
    add_column(out, "edge_names", index->edge_names, index->edge_count);
    add_column(out, "edge_children", index->edge_children, index->edge_count);
    add_column(out, "slot_owners", index->slot_owners, index->slot_count);
    add_column(out, "slot_variables", index->slot_variables, index->slot_count);
    add_column(out, "slot_names", index->slot_names, index->slot_count);
    add_column(out, "slot_nodes", index->slot_nodes, index->slot_count);
    add_column(out, "tag_nodes", index->tag_nodes, index->tag_count);
    add_column(out, "tag_names", index->tag_names, index->tag_count);
    add_column(out, "global_nodes", index->global_nodes, index->global_count);
    add_column(out, "global_names", index->global_names, index->global_count);
    add_column(out, "value_nodes", index->value_nodes, index->value_count);
    add_dtypes(out);
    add_types(out, reader);
    add_places(out, reader);
    add_digests(out, reader);
}
