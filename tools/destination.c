/* destination.c - formats by name and by ending.
 *
 * SPDX-License-Identifier: MIT
 */
#include "destination.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <varve/reader.h>

#include "complaint.h"
#include "room.h"

#define INDEX_SUFFIX ".index"

static const struct {
    const char *ending;
    varve_format format;
} endings[] = {
    { VARVE_SUFFIX, VARVE_FORMAT_VARVE },
    { INDEX_SUFFIX, VARVE_FORMAT_TENSORFLOW },
    { ".safetensors", VARVE_FORMAT_SAFETENSORS },
    { ".npy", VARVE_FORMAT_NPY },
    { ".npz", VARVE_FORMAT_NPZ },
};

static bool ends_in(const char *path, const char *ending)
{
    size_t size = strlen(path), tail = strlen(ending);
    return size > tail && strcmp(path + size - tail, ending) == 0;
}

static bool choose_format(
    const struct settings *settings, const char *path, varve_format *format)
{
    *format = (varve_format)(settings->format ? settings->format - 1 : 0);
    for (size_t i = 0; !settings->format; i++) {
        if (i == sizeof endings / sizeof *endings)
            return false;
        *format = endings[i].format;
        if (ends_in(path, endings[i].ending))
            return true;
    }
    return true;
}

static bool is_tensorflow(varve_format format)
{
    return format == VARVE_FORMAT_TENSORFLOW ||
        format == VARVE_FORMAT_TENSORFLOW_NAMES;
}

/* What must not be there: for TensorFlow, whose files are called after the
 * path, the index. */
static char *main_file(const struct destination *d)
{
    size_t size = strlen(d->path);
    char *file = room_for(size + sizeof INDEX_SUFFIX, 1);
    memcpy(file, d->path, size);
    if (is_tensorflow(d->format))
        strcpy(file + size, INDEX_SUFFIX);
    return file;
}

/* Nothing that is no checkpoint is ever replaced. */
static int check_replaced(const struct settings *settings, const char *file)
{
    varve_error error = { .status = VARVE_OK };
    varve_reader *reader = varve_reader_open(file, NULL, &error);
    varve_reader_free(reader);
    if (reader || error.status != VARVE_NOT_A_CHECKPOINT)
        return OUTCOME_DONE;
    return complain(settings,
        &(struct complaint){ .outcome = OUTCOME_FILE,
            .code = varve_status_name(VARVE_EXISTS),
            .what = "cannot write",
            .file = file,
            .why = "it is there, and is no checkpoint",
            .hint = "choose another name, or remove it" });
}

static int check_file(const struct settings *settings, const char *file)
{
    if (access(file, F_OK) != 0)
        return OUTCOME_DONE;
    if (settings->force)
        return check_replaced(settings, file);
    return complain(settings,
        &(struct complaint){ .outcome = OUTCOME_FILE,
            .code = varve_status_name(VARVE_EXISTS),
            .what = "cannot write",
            .file = file,
            .why = "it is there",
            .hint = "--force replaces it" });
}

int destination_choose(const struct settings *settings, const char *path,
    struct destination *d)
{
    *d = (struct destination){ .opened = path };
    if (!choose_format(settings, path, &d->format))
        return complain_usage(settings,
            "'%s': expected a name that ends in .varve, .safetensors, .npz, "
            ".npy or .index, or --to " FORMAT_WORDS,
            path);
    size_t size = strlen(path);
    if (is_tensorflow(d->format) && ends_in(path, INDEX_SUFFIX))
        size -= strlen(INDEX_SUFFIX);
    d->path = room_copy(path, size);
    char *file = main_file(d);
    int outcome = check_file(settings, file);
    free(file);
    if (outcome != OUTCOME_DONE)
        destination_clear(d);
    return outcome;
}

void destination_clear(struct destination *d)
{
    free(d->path);
    d->path = NULL;
}
