/* describe.c - Prints everything that a reader returns for a file; values as
 * their SHA-256.
 *
 * SPDX-License-Identifier: MIT
 */
#include "golden/describe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support/sha256.h"

static void print_metadata(FILE *out, const varve_metadata *m)
{
    union {
        double real;
        uint64_t bits;
    } value;
    fprintf(out, "metadata %s ", m->name);
    switch (m->kind) {
    case VARVE_METADATA_REAL:
        value.real = m->real;
        fprintf(out, "real %016" PRIx64 "\n", value.bits);
        break;
    case VARVE_METADATA_STRING: fprintf(out, "text %s\n", m->string); break;
    default:
        fprintf(out, "%s %" PRId64 "\n",
            m->kind == VARVE_METADATA_BOOLEAN ? "boolean" : "integer",
            m->integer);
        break;
    }
}

static void print_type(FILE *out, const varve_saved_node *node)
{
    fprintf(out, "type %" PRIu32 " %s [", node->id,
        varve_dtype_name(node->value.dtype));
    for (uint32_t i = 0; i < node->value.rank; i++)
        fprintf(out, i ? ",%" PRIu64 : "%" PRIu64, node->value.shape[i]);
    fprintf(out, "]\n");
    if (node->part)
        fprintf(out, "part %" PRIu32, node->id);
    for (uint32_t i = 0; node->part && i < node->part->shape.rank; i++)
        fprintf(out, " %" PRIu64 " of %" PRIu64, node->part->start[i],
            node->part->shape.extents[i]);
    if (node->part)
        fprintf(out, "\n");
}

static varve_status print_value(FILE *out, varve_reader *reader,
    const varve_saved_node *node, varve_error *error)
{
    char text[SHA256_TEXT_SIZE];
    size_t size = (size_t)node->size;
    unsigned char *bytes = malloc(size + !size);
    varve_status status = VARVE_NO_MEMORY;
    if (bytes)
        status = varve_reader_read(reader, node->id, bytes, size, error);
    if (!status) {
        fprintf(out, "value %" PRIu32 " %zu %s\ndigest %" PRIu32 " ",
            node->id, size, sha256_text(bytes, size, text), node->id);
        for (size_t i = 0; i < sizeof node->digest; i++)
            fprintf(out, "%02x", node->digest[i]);
        fprintf(out, "\n");
    }
    free(bytes);
    return status;
}

static void print_links(
    FILE *out, varve_reader *reader, const varve_saved_node *node)
{
    const char *name;
    uint32_t child, variable;
    for (size_t i = 0;
         varve_reader_edge_at(reader, node->id, i, &name, &child); i++)
        fprintf(
            out, "edge %" PRIu32 " %" PRIu32 " %s\n", node->id, child, name);
    for (size_t i = 0; varve_reader_slot_at(
             reader, node->id, i, &name, &variable, &child); i++)
        fprintf(out, "slot %" PRIu32 " %" PRIu32 " %" PRIu32 " %s\n", node->id,
            variable, child, name);
    for (size_t i = 0; (name = varve_reader_tag_at(reader, node->id, i)); i++)
        fprintf(out, "tag %" PRIu32 " %s\n", node->id, name);
    if (node->global_name)
        fprintf(out, "global %" PRIu32 " %s\n", node->id, node->global_name);
}

varve_status describe(FILE *out, varve_reader *reader, varve_error *error)
{
    varve_saved_node node;
    const varve_metadata *metadata;
    varve_status status = VARVE_OK;
    fprintf(out, "counter %" PRIu64 "\n", varve_reader_counter(reader));
    for (size_t i = 0; (metadata = varve_reader_metadata_at(reader, i)); i++)
        print_metadata(out, metadata);
    for (size_t i = 0; !status && varve_reader_node_at(reader, i, &node); i++) {
        fprintf(out, "node %" PRIu32 " %d %s\n", node.id, (int)node.kind,
            node.path);
        print_links(out, reader, &node);
        if (node.kind == VARVE_VARIABLE || node.kind == VARVE_STATE)
            print_type(out, &node);
        if (node.has_value)
            status = print_value(out, reader, &node, error);
    }
    return status;
}
