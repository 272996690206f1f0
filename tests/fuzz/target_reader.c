/* target_reader.c - Fuzzes the reader: lists, looks up, reads and verifies all
 * values, and checks that the results are consistent.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "reader.h"

/* The memory for a requested path: it is held until the reader is freed and
 * built in a buffer that doubles. */
enum { PATH_SIZE = VV_LONGEST_PATH + 1, PATH_SCRATCH = 256 * 1024 };

/* Limits for values that are computed on demand. Files in which some take too
 * long are skipped. While one is read, two that were read before are still
 * held. */
enum { MOST_MADE = 16 << 20, MADE_AT_A_TIME = 4 };

/* zeros or compressed values, which take little of a file */
enum { MOST_VALUE = 64 << 20 };

struct look {
    struct bounded *bounded;
    varve_reader *reader;
    bool is_damaged; /* a value could not be read */
};

static void look_at_links(const struct look *l, const varve_saved_node *node)
{
    const char *name;
    uint32_t child, variable;
    size_t count = varve_reader_node_count(l->reader);
    size_t i = 0;
    for (; varve_reader_edge_at(l->reader, node->id, i, &name, &child); i++)
        FUZZ_CHECK(child < count && *name, "edge %zu of %u", i, node->id);
    FUZZ_CHECK(i == node->edge_count, "edges of %u", node->id);
    for (i = 0; varve_reader_slot_at(
             l->reader, node->id, i, &name, &variable, &child); i++)
        FUZZ_CHECK(child < count && variable < count && *name,
            "slot %zu of %u", i, node->id);
    FUZZ_CHECK(i == node->slot_count, "slots of %u", node->id);
    for (i = 0; (name = varve_reader_tag_at(l->reader, node->id, i)); i++)
        FUZZ_CHECK(*name, "tag %zu of %u", i, node->id);
    FUZZ_CHECK(i == node->tag_count, "tags of %u", node->id);
}

/* Truncated paths and "?" refer to no node. */
static void look_up(const struct look *l, const varve_saved_node *node)
{
    varve_saved_node found = { 0 };
    if (strncmp(node->path, "...", 3) == 0)
        return;
    FUZZ_CHECK(varve_reader_find(l->reader, node->path, &found),
        "\"%s\" is not found", node->path);
    FUZZ_CHECK(found.id == node->id, "\"%s\" is node %u and not %u",
        node->path, found.id, node->id);
}

static void read_value(struct look *l, const varve_saved_node *node)
{
    varve_error error = { 0 };
    size_t size = (size_t)node->size;
    /* A value that is not stored literally in the file may be larger. */
    FUZZ_CHECK(node->offset == 0 || !node->file ||
            node->size <= varve_reader_size(l->reader),
        "size of %u", node->id);
    if (size > MOST_VALUE)
        return;
    unsigned char *bytes = malloc(size + !size);
    varve_status status =
        varve_reader_read(l->reader, node->id, bytes, size, &error);
    if (status) {
        fuzz_check_failure(status, &error);
        FUZZ_CHECK(status == VARVE_CORRUPT, "%s", error.message);
        l->is_damaged = true;
    }
    if (size > 0)
        FUZZ_CHECK(varve_reader_read(l->reader, node->id, bytes, size - 1,
                       NULL) == VARVE_MISUSE,
            "%u is read into too little room", node->id);
    free(bytes);
}

static void look_at_nodes(struct look *l)
{
    varve_saved_node node;
    size_t i = 0;
    for (; varve_reader_node_at(l->reader, i, &node); i++) {
        FUZZ_CHECK(node.id == i && node.kind >= VARVE_OBJECT &&
                node.kind <= VARVE_STATE &&
                strlen(node.path) <= VV_LONGEST_PATH,
            "node %zu", i);
        look_at_links(l, &node);
        if (i < 64 || i % 64 == 0)
            look_up(l, &node);
        if (node.has_value)
            read_value(l, &node);
    }
    FUZZ_CHECK(i == varve_reader_node_count(l->reader), "count of nodes");
    FUZZ_CHECK(!varve_reader_find(l->reader, "no/such/path", &node) ||
            node.id > 0, "a missing path is the root");
}

static void note_damage(void *user, const varve_damage *damage)
{
    (void)damage;
    ++*(size_t *)user;
}

static void verify(const struct look *l)
{
    size_t places = 0;
    varve_error error = { 0 };
    varve_status status = varve_reader_verify(l->reader,
        &(varve_verify_options){ .on_damage = note_damage,
            .on_damage_user = &places },
        &error);
    if (status)
        fuzz_check_failure(status, &error);
    FUZZ_CHECK(!status == !places, "%zu damaged places: %s", places,
        varve_status_name(status));
    FUZZ_CHECK(
        !l->is_damaged || places, "a value cannot be read, but verifies");
}

/* Returns the size of the largest value that is computed on demand: deflated
 * values or strings. Raises the limit by the paths that are returned to the
 * caller. */
static uint64_t largest_made(varve_reader *reader, struct bounded *bounded)
{
    uint64_t largest = 0;
    varve_saved_node node;
    bounded->is_free = true;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (node.has_value && node.offset == 0 && node.size > largest)
            largest = node.size;
    }
    bounded->is_free = false;
    return largest;
}

void fuzz_look_at(varve_reader *reader, struct bounded *bounded)
{
    struct look l = { .bounded = bounded, .reader = reader };
    if (varve_reader_format(reader) != VARVE_FORMAT_VARVE) {
        uint64_t made = largest_made(reader, bounded);
        if (made > MOST_MADE)
            return;
        bounded_raise(bounded, MADE_AT_A_TIME * (size_t)made);
    }
    bounded_raise(bounded, bounded_unpacking(&reader->file.parsed.index));
    verify(&l); /* before paths, which count as memory of the caller */
    bounded_raise(
        bounded, varve_reader_node_count(reader) * PATH_SIZE + PATH_SCRATCH);
    look_at_nodes(&l);
    for (size_t i = 0; varve_reader_metadata_at(reader, i); i++)
        FUZZ_CHECK(*varve_reader_metadata_at(reader, i)->name, "metadata %zu",
            i);
}

void fuzz_reader(const uint8_t *bytes, size_t size)
{
    size = fuzz_file_size(bytes, size);
    struct bounded bounded = bounded_for(bytes, size);
    struct one_file file;
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, &error);
    if (reader)
        fuzz_look_at(reader, &bounded);
    else
        fuzz_check_failure(error.status, &error);
    varve_reader_free(reader);
    FUZZ_CHECK(file.opened == 0, "%d descriptors are left", file.opened);
    bounded_check_empty(&bounded);
}
