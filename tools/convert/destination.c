/* destination.c - Determines formats by name and by extension.
 *
 * SPDX-License-Identifier: MIT
 */
#include "destination.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temporary_output.h"
#include "complaint.h"
#include "memory.h"
#include "store_path.h"

#define INDEX_SUFFIX ".index"
#define TENSORS_SUFFIX ".safetensors"
#define TENSORS_INDEX_SUFFIX ".safetensors.index.json" /* for several files */

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
    { ".pt", VARVE_FORMAT_TORCH },
    { ".pth", VARVE_FORMAT_TORCH },
    { ".gguf", VARVE_FORMAT_GGUF },
    { ".h5", VARVE_FORMAT_HDF5 },
    { ".hdf5", VARVE_FORMAT_HDF5 },
};

/* In the order of FORMAT_WORDS. */
static const varve_format words[] = { VARVE_FORMAT_VARVE,
    VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_TENSORFLOW_NAMES,
    VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_NPY, VARVE_FORMAT_NPZ,
    VARVE_FORMAT_TORCH, VARVE_FORMAT_GGUF, VARVE_FORMAT_HDF5 };

static bool ends_in(const char *path, const char *ending)
{
    size_t size = strlen(path), tail = strlen(ending);
    return size > tail && strcmp(path + size - tail, ending) == 0;
}

static bool choose_format(
    unsigned asked, const char *path, varve_format *format)
{
    *format = words[asked ? asked - 1 : 0];
    for (size_t i = 0; !asked; i++) {
        if (i == sizeof endings / sizeof *endings)
            return false;
        *format = endings[i].format;
        if (ends_in(path, endings[i].ending))
            return true;
    }
    return true;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* There is no `default:`, so that a missing format does not compile. A format
 * that is written also needs an extension above and a word in FORMAT_WORDS. */
#pragma GCC diagnostic error "-Wswitch"
static bool is_tensorflow(varve_format format)
{
    switch (format) {
    case VARVE_FORMAT_TENSORFLOW:
    case VARVE_FORMAT_TENSORFLOW_NAMES: return true;
    case VARVE_FORMAT_VARVE:
    case VARVE_FORMAT_SAFETENSORS:
    case VARVE_FORMAT_NPY:
    case VARVE_FORMAT_NPZ:
    case VARVE_FORMAT_GGUF:
    case VARVE_FORMAT_TORCH:
    case VARVE_FORMAT_ONNX:
    case VARVE_FORMAT_FLAX:
    case VARVE_FORMAT_DCP:
    case VARVE_FORMAT_HDF5: break;
    }
    return false;
}

static char *with_suffix(const char *path, const char *old, const char *new)
{
    size_t size = strlen(path);
    if (ends_in(path, old))
        size -= strlen(old);
    char *file = memory_allocate(size + strlen(new) + 1, 1);
    memcpy(file, path, size);
    strcpy(file + size, new);
    return file;
}

/* Returns the file that determines whether the checkpoint exists: for
 * TensorFlow and for several files of safetensors, the index. */
static char *main_file(const struct destination *d, bool is_several)
{
    if (d->format == VARVE_FORMAT_SAFETENSORS && is_several &&
        !ends_in(d->path, TENSORS_INDEX_SUFFIX))
        return with_suffix(d->path, TENSORS_SUFFIX, TENSORS_INDEX_SUFFIX);
    return with_suffix(
        d->path, "", is_tensorflow(d->format) ? INDEX_SUFFIX : "");
}

/* Refuses to replace a file that is not a checkpoint. A repair may replace the
 * rest of a damaged one. */
static int check_replaced(const struct settings *settings, const char *file)
{
    varve_error error = { .status = VARVE_OK };
    varve_reader *reader = settings->opening.salvage
                               ? varve_reader_salvage(file, NULL, &error)
                               : varve_reader_open(file, NULL, &error);
    varve_reader_free(reader);
    if (reader || error.status != VARVE_NOT_A_CHECKPOINT)
        return OUTCOME_DONE;
    return complain(
        settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                      .code = varve_status_name(VARVE_EXISTS),
                      .what = "cannot write",
                      .file = file,
                      .why = "the file exists and is not a checkpoint",
                      .hint = "choose another name, or delete the file" });
}

static int check_file(const struct convert_options *options, const char *file)
{
    const struct settings *settings = &options->settings;
    /* existing objects are reported when it is written */
    if (is_in_store(file))
        return options->force ? check_replaced(settings, file) : OUTCOME_DONE;
    if (access(file, F_OK) != 0)
        return OUTCOME_DONE;
    if (options->force)
        return check_replaced(settings, file);
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                  .code = varve_status_name(VARVE_EXISTS),
                                  .what = "cannot write",
                                  .file = file,
                                  .why = "the file already exists",
                                  .hint = "use --force to replace it" });
}

int destination_choose(const struct convert_options *options, const char *path,
    struct destination *d)
{
    *d = (struct destination){ .given = path };
    if (is_on_web(path))
        return complain_store(&options->settings, path);
    if (!choose_format(options->format, path, &d->format))
        return complain_usage(&options->settings,
            "'%s': the name must end in .varve, .safetensors, .npz, .npy, .pt, "
            ".pth, .gguf, .h5, .hdf5 or .index; otherwise use "
            "--to " FORMAT_WORDS,
            path);
    if (temporary_output_check_folder(&options->settings, path) != OUTCOME_DONE)
        return OUTCOME_FILE;
    size_t size = strlen(path);
    if (is_tensorflow(d->format) && ends_in(path, INDEX_SUFFIX))
        size -= strlen(INDEX_SUFFIX);
    d->path = memory_copy_text(path, size);
    int outcome = OUTCOME_DONE;
    for (int i = 0; i < 2 && outcome == OUTCOME_DONE; i++) {
        char *file = main_file(d, i > 0);
        outcome = check_file(options, file);
        free(file);
    }
    if (outcome != OUTCOME_DONE)
        destination_clear(d);
    return outcome;
}

void destination_correct_message(
    const struct destination *d, varve_error *error)
{
    const char *name = last_name(d->path);
    size_t size = TEMPORARY_OUTPUT_FOLDER_SIZE + 1;
    if ((size_t)(name - d->path) < size ||
        strncmp(name - size, TEMPORARY_OUTPUT_FOLDER,
            strlen(TEMPORARY_OUTPUT_FOLDER)) != 0)
        return;
    char folder[TEMPORARY_OUTPUT_FOLDER_SIZE + 2] = { 0 };
    memcpy(folder, name - size, size);
    for (char *at; (at = strstr(error->message, folder));)
        memmove(at, at + size, strlen(at + size) + 1);
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
        destination_correct_message(d, &error);
    if (!reader)
        complain_status(settings, "cannot open the new file", d->given, &error);
    return reader;
}

/* --- Trials ------------------------------------------------------------- */

bool destination_is_there(const struct destination *d)
{
    bool is_there = false;
    for (int i = 0; i < 2 && !is_there; i++) {
        char *file = main_file(d, i > 0);
        is_there = access(file, F_OK) == 0;
        free(file);
    }
    return is_there;
}

bool destination_try(const struct destination *d, struct destination *trial)
{
    *trial = (struct destination){ .given = d->given, .format = d->format };
    if (is_in_store(d->path))
        return false;
    char *folder = temporary_output_make_folder(d->path, &trial->guard);
    if (folder)
        trial->path = memory_join_path(folder, last_name(d->path));
    free(folder);
    return folder != NULL;
}

static bool move(int from, int to, const char *name)
{
    return renameat(from, name, to, name) == 0;
}

/* Moves the files that refer to others last. */
static bool move_all(const struct destination *trial, int from, int to)
{
    bool good = true;
    char *main[2] = { main_file(trial, false), main_file(trial, true) };
    DIR *folder = fdopendir(dup(from));
    for (struct dirent *e; good && folder && (e = readdir(folder));) {
        const char *name = e->d_name;
        if (name[0] != '.' && strcmp(name, last_name(main[0])) != 0 &&
            strcmp(name, last_name(main[1])) != 0)
            good = move(from, to, name);
    }
    if (folder)
        closedir(folder);
    for (int i = 0; i < 2; i++) {
        if (good && access(main[i], F_OK) == 0)
            good = move(from, to, last_name(main[i]));
        free(main[i]);
    }
    return good && fsync(to) == 0;
}

static int open_folder_of(const char *path)
{
    char *folder = memory_copy_text(path, (size_t)(last_name(path) - path));
    int result = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY);
    free(folder);
    return result;
}

int destination_settle(const struct settings *settings,
    const struct destination *d, const struct destination *trial)
{
    errno = 0;
    int from = open_folder_of(trial->path), to = open_folder_of(d->path);
    bool good = from >= 0 && to >= 0 && !destination_is_there(d) &&
                move_all(trial, from, to);
    bool is_taken = !good && destination_is_there(d);
    const char *why = is_taken ? "the file already exists" : strerror(errno);
    int outcome =
        good ? OUTCOME_DONE
             : complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                      .code = varve_status_name(VARVE_IO),
                                      .what = "cannot write",
                                      .file = d->given,
                                      .why = why });
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return outcome;
}

void destination_end_trial(struct destination *trial)
{
    *strrchr(trial->path, '/') = '\0';
    temporary_output_remove_folder(trial->path, trial->guard);
    destination_clear(trial);
}

/* --- Cleanup ------------------------------------------------------------ */

void destination_clear(struct destination *d)
{
    free(d->path);
    d->path = NULL;
}
