/* dump.c - all that a reader says of a file, a line for each thing, for
 * check_golden.py to compare with what another reader says.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

static void print_hex(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        printf("%02x", at[i]);
    printf("\n");
}

static int print_value(varve_reader *reader, const varve_saved_node *node)
{
    varve_error error;
    unsigned char *bytes = malloc((size_t)node->size + 1);
    printf("value %" PRIu32 " %s [", node->id,
        varve_dtype_name(node->value.dtype));
    for (uint32_t i = 0; i < node->value.rank; i++)
        printf(i ? ",%" PRIu64 : "%" PRIu64, node->value.shape[i]);
    printf("] %" PRIu64 " ", node->size);
    int failed = !bytes || varve_reader_read(
        reader, node->id, bytes, (size_t)node->size, &error);
    if (failed)
        fprintf(stderr, "%s\n", bytes ? error.message : "out of memory");
    else
        print_hex(bytes, (size_t)node->size);
    printf("digest %" PRIu32 " ", node->id);
    print_hex(node->digest, sizeof node->digest);
    free(bytes);
    return failed;
}

static void print_links(varve_reader *reader, const varve_saved_node *node)
{
    const char *name;
    uint32_t child, variable;
    for (size_t i = 0; varve_reader_edge_at(
             reader, node->id, i, &name, &child); i++)
        printf("edge %" PRIu32 " %" PRIu32 " %s\n", node->id, child, name);
    for (size_t i = 0; varve_reader_slot_at(
             reader, node->id, i, &name, &variable, &child); i++)
        printf("slot %" PRIu32 " %" PRIu32 " %" PRIu32 " %s\n", node->id,
            variable, child, name);
    for (size_t i = 0; (name = varve_reader_tag_at(
             reader, node->id, i)) != NULL; i++)
        printf("tag %" PRIu32 " %s\n", node->id, name);
}

int main(int argc, char **argv)
{
    varve_error error;
    varve_reader *reader =
        argc == 2 ? varve_reader_open(argv[1], NULL, &error) : NULL;
    if (!reader) {
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: dump FILE");
        return 2;
    }
    int failed = 0;
    varve_saved_node node;
    printf("counter %" PRIu64 "\n", varve_reader_counter(reader));
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        printf("node %" PRIu32 " %d %s\n", node.id, (int)node.kind, node.path);
        print_links(reader, &node);
        if (node.has_value)
            failed |= print_value(reader, &node);
    }
    varve_reader_free(reader);
    return failed;
}
