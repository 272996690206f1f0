/* destination.c - formats by name and by ending.
 *
 * SPDX-License-Identifier: MIT
 */
#include "destination.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "room.h"

#define INDEX_SUFFIX ".index"
#define TENSORS_SUFFIX ".safetensors"
#define TENSORS_INDEX_SUFFIX ".safetensors.index.json" /* of several files */

static const struct {
    const char *ending;
    varve_format format;
} endings[] = {
    { VARVE_SUFFIX, VARVE_FORMAT_VARVE },
    { INDEX_SUFFIX, VARVE_FORMAT_TENSORFLOW },
    { TENSORS_SUFFIX, VARVE_FORMAT_SAFETENSORS },
    { TENSORS_INDEX_SUFFIX, VARVE_FORMAT_SAFETENSORS },
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

static char *with_suffix(const char *path, const char *old, const char *new)
{
    size_t size = strlen(path);
    if (ends_in(path, old))
        size -= strlen(old);
    char *file = room_for(size + strlen(new) + 1, 1);
    memcpy(file, path, size);
    strcpy(file + size, new);
    return file;
}

/* The file that must not be there: of TensorFlow's, which are called after the
 * path, and of several of safetensors, the index. */
static char *main_file(const struct destination *d, bool is_several)
{
    if (d->format == VARVE_FORMAT_SAFETENSORS && is_several &&
        !ends_in(d->path, TENSORS_INDEX_SUFFIX))
        return with_suffix(d->path, TENSORS_SUFFIX, TENSORS_INDEX_SUFFIX);
    return with_suffix(d->path, "", is_tensorflow(d->format) ? INDEX_SUFFIX
                                                             : "");
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
    *d = (struct destination){ .given = path };
    if (!choose_format(settings, path, &d->format))
        return complain_usage(settings,
            "'%s': expected a name that ends in .varve, .safetensors, .npz, "
            ".npy or .index, or --to " FORMAT_WORDS,
            path);
    size_t size = strlen(path);
    if (is_tensorflow(d->format) && ends_in(path, INDEX_SUFFIX))
        size -= strlen(INDEX_SUFFIX);
    d->path = room_copy(path, size);
    int outcome = OUTCOME_DONE;
    for (int i = 0; i < 2 && outcome == OUTCOME_DONE; i++) {
        char *file = main_file(d, i > 0);
        outcome = check_file(settings, file);
        free(file);
    }
    if (outcome != OUTCOME_DONE)
        destination_clear(d);
    return outcome;
}

varve_reader *destination_open(
    const struct settings *settings, const struct destination *d)
{
    varve_error error = { .status = VARVE_OK };
    varve_reader *reader = NULL;
    for (int i = 0; i < 2 && !reader; i++) {
        char *file = main_file(d, i > 0);
        if (i == 0 || error.status == VARVE_NOT_FOUND)
            reader = varve_reader_open(file, NULL, &error);
        free(file);
    }
    if (!reader)
        complain_status(
            settings, "cannot open what was written", d->given, &error);
    return reader;
}

void destination_clear(struct destination *d)
{
    free(d->path);
    d->path = NULL;
}
