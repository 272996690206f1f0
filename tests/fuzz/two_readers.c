/* two_readers.c - Prints how the library reads files and mutations of them, for
 * comparison with an independent reader by two_readers.py.
 *
 *     two_readers COUNT FILE...
 *
 * For each file it writes the file size, the bytes, the size of a text and the
 * text: the output of describe.c, or "refused" and a status. Sizes are 4 bytes,
 * little-endian. The unmodified file comes first. Data files are those of the
 * golden files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "default_allocator.h"
#include "fuzz/fuzz.h"
#include "fuzz/golden_layers.h"
#include "fuzz/mutate.h"
#include "golden/describe.h"
#include "reader.h"
#include "structure.h"
#include "support/proof.h"

enum { MOST_BYTES = 64 * 1024, MOST_INPUTS = 4096, MOST_VALUE = 64 << 20 };

static struct input {
    uint8_t *bytes;
    size_t size;
} inputs[MOST_INPUTS];

static size_t input_count;

static void read_input(const char *path)
{
    FUZZ_CHECK(input_count < MOST_INPUTS, "too many files");
    struct input *input = &inputs[input_count];
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file, "%s", path);
    input->bytes = malloc(2 * MOST_BYTES);
    input->size = fread(input->bytes, 1, 2 * MOST_BYTES, file);
    fclose(file);
    input_count++;
}

static void put(const void *bytes, size_t size)
{
    uint8_t head[4];
    vv_store32(head, (uint32_t)size);
    FUZZ_CHECK(fwrite(head, 1, sizeof head, stdout) == sizeof head &&
            fwrite(bytes, 1, size, stdout) == size, "the pipe is closed");
}

/* Returns false if the values are too large. A few bytes may encode many zeros;
 * other tests cover such files. */
static bool is_small(varve_reader *reader)
{
    uint64_t left = MOST_VALUE;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        left -= node.size < left ? node.size : left;
    return left > 0;
}

/* Accepts a file that passes verification. It must also be restorable. */
static varve_status accept(const struct vv_context *context,
    varve_reader *reader, varve_error *error)
{
    varve_status status = varve_reader_verify(reader, NULL, error);
    varve_graph *graph =
        status ? NULL : vv_graph_from_in(context, FUZZ_PATH, NULL, error);
    if (graph)
        varve_graph_free(graph);
    return error->status;
}

static void look(FILE *out, const struct vv_context *context,
    varve_reader *reader, varve_error *error)
{
    varve_error failure = { .message = "" };
    if (!is_small(reader))
        fprintf(out, "too large\n");
    else if (!accept(context, reader, error))
        FUZZ_CHECK(!describe(out, reader, &failure), "accepted, and then: %s",
            failure.message);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct many_files files;
    varve_error error = { .status = VARVE_OK };
    char *text = NULL;
    size_t text_size = 0;
    FILE *out = open_memstream(&text, &text_size);
    many_files_init(&files);
    many_files_add(&files, FUZZ_PATH, sizeof FUZZ_PATH - 1, bytes, size);
    for (size_t i = 0; i < golden_layer_count(); i++) {
        const struct golden_layer *layer = golden_layer_at(i);
        golden_layer_add(&files, "", layer, layer->bytes, layer->size);
    }
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = &files.one.system,
    };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, &error);
    if (reader)
        look(out, &context, reader, &error);
    if (error.status)
        fprintf(out, "refused %s %s\n", varve_status_name(error.status),
            error.message);
    varve_reader_free(reader);
    fclose(out);
    put(bytes, size);
    put(text, text_size);
    free(text);
}

/* A mutation may be mutated again. */
static void run_mutations(uint64_t count)
{
    static uint8_t bytes[MOST_BYTES];
    size_t size = 0;
    uint64_t random = proof_seed();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seed = proof_next(&random);
        const struct input *from = &inputs[seed % input_count];
        if ((size == 0 || seed >> 32 & 3) && from->size <= MOST_BYTES / 2) {
            size = from->size;
            memcpy(bytes, from->bytes, size);
        }
        size = mutate(bytes, size, sizeof bytes, seed, mutate_plainly);
        run(bytes, fuzz_file_size(bytes, size));
        if (size > MOST_BYTES / 4)
            size = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: two_readers COUNT FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        read_input(argv[i]);
    for (size_t i = 0; i < input_count; i++)
        run(inputs[i].bytes, fuzz_file_size(inputs[i].bytes, inputs[i].size));
    uint64_t count = strtoull(argv[1], NULL, 10);
    run_mutations(count);
    proof_count("fuzz.two_readers", input_count + count);
    for (size_t i = 0; i < input_count; i++)
        free(inputs[i].bytes);
    return 0;
}
