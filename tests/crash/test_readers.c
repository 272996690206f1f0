/* test_readers.c - Tests that a reader of a file that is being replaced gets
 * the older or the newer values, never a mixture, in every format that Varve
 * writes.
 *
 * The checkpoint is replaced, once or several times, before each single call
 * that the reader makes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "system.h"

#include "crash/subject.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test.h"

/* (Without HDF5: saving is refused while a call reads a file.) */
static const char *const paths[] = {
    "run/m.varve", "run/m.safetensors", "run/m.npz", "run/m.pt", "run/m.gguf",
    "run/m.index", "run/m.safetensors.index.json",
};

struct writer {
    struct memory *memory;
    const char *path;
    int saves;
};

static void save(const struct writer *w, unsigned seed)
{
    varve_error error = { 0 };
    cr_assert_ok(subject_save(
        memory_system(w->memory), w->path, seed, &error), error);
}

/* Writes older and newer values in turn; the last are the newer ones. */
static void replace(void *user)
{
    const struct writer *w = user;
    for (int i = w->saves; i > 0; i--)
        save(w, i % 2 ? SUBJECT_NEWER : SUBJECT_OLDER);
}

/* Replaces the file before call `n` of a reader. Returns false if the reader
 * makes fewer calls. */
static bool read_beside(const char *path, int saves, long n)
{
    struct memory *memory = memory_new();
    struct writer writer = { memory, path, saves };
    struct faulty *faulty = faulty_new(memory_system(memory));
    save(&writer, SUBJECT_OLDER);
    faulty_plan(faulty, &(struct faulty_plan){ .number = n,
        .way = FAULTY_STOPS, .stop = replace, .user = &writer });
    enum subject_finding found = subject_find(faulty_system(faulty), path);
    cr_assert(found == FOUND_OLDER || found == FOUND_NEWER,
        "%s, replaced %d times before call %ld: found %s", path, saves, n,
        subject_finding_name(found));
    bool hit = faulty_hit(faulty);
    faulty_free(faulty);
    memory_free(memory);
    return hit;
}

TEST(crash, a_reader_during_a_save_reads_one_complete_checkpoint)
{
    uint64_t reads = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int saves = 1; saves <= 3; saves++)
            for (long n = 0; read_beside(paths[i], saves, n); n++)
                reads++;
    proof_count("crash.reads_beside_saves", reads);
}
