/* bench.c - Creates the test files and checks what can be read of a damaged
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "damage/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "reader.h"
#include "save.h"
#include "system.h"

/* --- Images --------------------------------------------------------------- */

static varve_reader *open_reader(struct bench *b, varve_error *error)
{
    return vv_reader_open_in(&b->context, BENCH_PATH, error);
}

static void find_values(struct bench *b, struct image *image)
{
    varve_error error = { 0 };
    varve_reader *reader = open_reader(b, &error);
    cr_assert(reader, "%s", error.message);
    image->data_end = reader->file.data_end;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (!node.has_value)
            continue;
        cr_assert_lt(image->count, BENCH_VALUES);
        struct image_value *value = &image->values[image->count++];
        *value = (struct image_value){
            .id = node.id, .offset = node.offset, .size = node.size };
        cr_assert_lt(strlen(node.path), sizeof value->path);
        memcpy(value->path, node.path, strlen(node.path) + 1);
    }
    varve_reader_free(reader);
}

void bench_save(struct bench *b, unsigned seed, struct image *image)
{
    const struct vv_system *system = b->context.system;
    varve_node *root = varve_graph_root(b->graph);
    varve_write_options options = everything_options();
    varve_error error;
    everything_fill(&b->model, seed);
    system->remove(system->state, VV_WORKING_DIRECTORY, BENCH_PATH);
    cr_assert(vv_set_save_counter(root, 0));
    cr_assert_ok(varve_save(root, "a", &options, &error), error);
    *image = (struct image){ 0 };
    const unsigned char *bytes =
        memory_bytes(b->memory, BENCH_PATH, &image->size);
    image->bytes = malloc(image->size);
    memcpy(image->bytes, bytes, image->size);
    find_values(b, image);
    everything_fill(&b->model, BENCH_NOW);
}

void image_free(struct image *image)
{
    free(image->bytes);
}

const struct image_value *image_find(const struct image *image, uint64_t place)
{
    for (size_t i = 0; i < image->count; i++)
        if (place >= image->values[i].offset &&
            place - image->values[i].offset < image->values[i].size)
            return &image->values[i];
    return NULL;
}

/* --- The bench ------------------------------------------------------------ */

void bench_begin(struct bench *b, bool with_large)
{
    *b = (struct bench){ .memory = memory_new(), .random = proof_seed() };
    b->context = test_context(memory_system(b->memory));
    b->graph = vv_graph_new_in(&b->context);
    if (with_large)
        b->model.big = malloc(EVERYTHING_BIG * sizeof *b->model.big);
    everything_build(&b->model, b->graph);
    bench_save(b, BENCH_NOW, &b->now);
    bench_save(b, BENCH_SAVED, &b->saved);
}

void bench_end(struct bench *b, const char *what)
{
    cr_log_info("%s: %zu bytes, %llu damaged files, all found; %llu reads "
        "refused, %llu right", what, b->saved.size,
        (unsigned long long)b->tried, (unsigned long long)b->refused,
        (unsigned long long)b->right);
    varve_graph_free(b->graph);
    cr_assert_eq(memory_open_count(b->memory), 0);
    memory_free(b->memory);
    image_free(&b->saved);
    image_free(&b->now);
    free(b->model.big);
}

unsigned char *bench_bytes(struct bench *b)
{
    size_t size;
    return memory_bytes(b->memory, BENCH_PATH, &size);
}

void bench_put(struct bench *b, const void *bytes, size_t size)
{
    memory_put(b->memory, BENCH_PATH, bytes, size);
}

void bench_repair(struct bench *b)
{
    size_t size;
    unsigned char *bytes = memory_bytes(b->memory, BENCH_PATH, &size);
    if (size == b->saved.size)
        memcpy(bytes, b->saved.bytes, size);
    else
        bench_put(b, b->saved.bytes, b->saved.size);
}

bool bench_differs(struct bench *b, const struct image *image)
{
    size_t size;
    const unsigned char *bytes = memory_bytes(b->memory, BENCH_PATH, &size);
    return size != image->size || memcmp(bytes, image->bytes, size) != 0;
}

uint64_t bench_random(struct bench *b, uint64_t limit)
{
    return proof_next(&b->random) % limit;
}

/* --- Looking at the file -------------------------------------------------- */

static bool is_plausible(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_NOT_A_CHECKPOINT || status == VARVE_TOO_NEW ||
           status == VARVE_EMPTY_FILE;
}

void bench_check_error(const varve_error *error, size_t place)
{
    cr_assert(is_plausible(error->status), "at %zu: %s: %s", place,
        varve_status_name(error->status), error->message);
    cr_assert(strstr(error->message, BENCH_PATH), "at %zu: %s", place,
        error->message);
}

/* The next finding that verifying should report. */
struct expectation {
    const struct image *image;
    const unsigned char *bytes;
    size_t place; /* for messages */
    size_t value; /* the next expected value, */
    uint64_t at;  /* from this offset on; preceding padding comes first */
};

static bool differs(const struct expectation *e, uint64_t begin, uint64_t end)
{
    return memcmp(e->bytes + begin, e->image->bytes + begin,
               (size_t)(end - begin)) != 0;
}

/* Expects damaged padding up to `end`. Returns true if there is any. */
static bool expect_padding(
    struct expectation *e, uint64_t end, varve_damage *damage)
{
    uint64_t begin = e->at;
    e->at = end;
    for (; begin < end; begin++)
        if (e->bytes[begin] != 0) {
            *damage = (varve_damage){ .offset = begin, .size = end - begin };
            return true;
        }
    return false;
}

static bool expect_next(struct expectation *e, varve_damage *damage)
{
    while (e->value < e->image->count) {
        const struct image_value *value = &e->image->values[e->value];
        uint64_t end = value->offset + value->size;
        if (e->at < value->offset && value->size > 0 &&
            expect_padding(e, value->offset, damage))
            return true;
        while (value->size > 0 && e->at < end) {
            uint64_t begin = e->at;
            uint64_t most = begin + VV_CHUNK_SIZE;
            e->at = end < most ? end : most;
            *damage = (varve_damage){ .path = value->path, .offset = begin,
                .size = e->at - begin };
            if (differs(e, begin, e->at))
                return true;
        }
        e->value++;
    }
    return expect_padding(e, e->image->data_end, damage);
}

static void on_damage(void *user, const varve_damage *damage)
{
    struct expectation *e = user;
    varve_damage expected;
    cr_assert(expect_next(e, &expected),
        "at %zu: bytes from %llu are called damaged", e->place,
        (unsigned long long)damage->offset);
    cr_assert_eq(damage->offset, expected.offset, "at %zu: damage at %llu, "
        "found %llu", e->place, (unsigned long long)expected.offset,
        (unsigned long long)damage->offset);
    cr_assert_eq(damage->size, expected.size);
    cr_assert_eq(damage->path == NULL, expected.path == NULL);
    cr_assert(!damage->path || strcmp(damage->path, expected.path) == 0);
}

static void check_verify(
    varve_reader *reader, struct expectation *e)
{
    varve_error error = { 0 };
    varve_damage left;
    e->at = BENCH_HEADER;
    cr_assert_neq(varve_reader_verify(reader,
        &(varve_verify_options){ .on_damage = on_damage, .on_damage_user = e,
            .threads = 1 }, &error), VARVE_OK,
        "damage at %zu passes for good", e->place);
    cr_assert_eq(error.status, VARVE_CORRUPT);
    bench_check_error(&error, e->place);
    cr_assert(!expect_next(e, &left), "damage at %llu (%zu) is not told",
        (unsigned long long)left.offset, e->place);
}

static void check_value(varve_reader *reader, const struct expectation *e,
    const struct image_value *value, unsigned char *buffer)
{
    varve_error error = { 0 };
    uint64_t end = value->offset + value->size;
    varve_status status = varve_reader_read(
        reader, value->id, buffer, (size_t)value->size, &error);
    if (differs(e, value->offset, end)) {
        cr_assert_eq(status, VARVE_CORRUPT, "at %zu: %s was read", e->place,
            value->path);
        bench_check_error(&error, e->place);
        cr_assert(strstr(error.message, value->path) &&
            strstr(error.message, "bytes "), "%s", error.message);
        return;
    }
    cr_assert_eq(status, VARVE_OK, "at %zu: %s cannot be read: %s", e->place,
        value->path, error.message);
    cr_assert_eq(memcmp(buffer, e->image->bytes + value->offset,
        (size_t)value->size), 0, "at %zu: %s is wrong", e->place, value->path);
}

static bool is_structure_damaged(
    const struct image *image, const unsigned char *bytes, size_t size)
{
    size_t end = (size_t)image->data_end;
    return size != image->size ||
           memcmp(bytes, image->bytes, BENCH_HEADER) != 0 ||
           memcmp(bytes + end, image->bytes + end, size - end) != 0;
}

void bench_check(struct bench *b, const struct image *image, size_t place)
{
    static unsigned char buffer[EVERYTHING_BIG * sizeof(float)];
    varve_error error = { 0 };
    size_t size;
    const unsigned char *bytes = memory_bytes(b->memory, BENCH_PATH, &size);
    struct expectation e = { image, bytes, place, 0, 0 };
    varve_reader *reader = open_reader(b, &error);
    b->tried++;
    if (is_structure_damaged(image, bytes, size)) {
        cr_assert_null(reader, "damage at %zu is opened", place);
        bench_check_error(&error, place);
        return;
    }
    cr_assert(reader, "damage at %zu is of values only: %s", place,
        error.message);
    check_verify(reader, &e);
    for (size_t i = 0; i < image->count; i++)
        check_value(reader, &e, &image->values[i], buffer);
    varve_reader_free(reader);
}

/* --- Reading into the program --------------------------------------------- */

bool bench_read(
    struct bench *b, const varve_read_options *options, size_t place)
{
    varve_error error = { 0 };
    varve_read_options used = options ? *options : (varve_read_options){ 0 };
    used.resources.threads = 1;
    uint64_t before = everything_digest(&b->model);
    varve_restoration *r =
        varve_read(varve_graph_root(b->graph), BENCH_PATH, &used, &error);
    if (r) {
        const char *wrong = everything_differs(&b->model, BENCH_SAVED);
        cr_assert_null(wrong, "at %zu: %s is wrong", place, wrong);
        everything_fill(&b->model, BENCH_NOW);
        b->right++;
    } else {
        bench_check_error(&error, place);
        cr_assert(everything_digest(&b->model) == before,
            "at %zu: values changed", place);
        b->refused++;
    }
    varve_restoration_free(r);
    return r != NULL;
}

bool bench_names(const char *text, const struct image_value *value)
{
    return strstr(text, value->path) ||
           (strcmp(value->path, "a%2Fb%25c") == 0 &&
               strstr(text, BENCH_SHARED));
}

static unsigned compare(const struct image *image, size_t i,
    const unsigned char *bytes, const struct image_value *value)
{
    const struct image_value *other = &image->values[i];
    return other->size == value->size && memcmp(image->bytes + other->offset,
        bytes + value->offset, (size_t)value->size) == 0;
}

void bench_look(struct bench *b, unsigned found[BENCH_VALUES])
{
    struct bench look = *b; /* another disk, the same graph */
    struct image image = { 0 };
    varve_error error;
    look.memory = memory_new();
    look.context = test_context(memory_system(look.memory));
    struct vv_context before = b->graph->context;
    b->graph->context = look.context;
    /* partially restored or not */
    varve_mark_dirty(varve_graph_root(b->graph));
    cr_assert_ok(varve_write(varve_graph_root(b->graph), BENCH_PATH,
        &(varve_write_options){ .no_sync = true }, &error), error);
    b->graph->context = before;
    image.bytes = bench_bytes(&look);
    find_values(&look, &image);
    cr_assert_eq(image.count, b->saved.count);
    for (size_t i = 0; i < image.count; i++) {
        const struct image_value *value = &image.values[i];
        found[i] = compare(&b->saved, i, image.bytes, value) * IS_SAVED |
                   compare(&b->now, i, image.bytes, value) * IS_NOW;
    }
    memory_free(look.memory);
}
