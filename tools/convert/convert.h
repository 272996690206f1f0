/* convert.h - Runs a conversion as a part of other commands.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CONVERT_H
#define TOOL_CONVERT_H

#include "renames.h"
#include "settings.h"

/* Destination formats, in the order of varve_format. */
#define FORMAT_WORDS                                                           \
    "varve|tensorflow|tensorflow-names|safetensors|npy|npz|torch|gguf|hdf5"

enum { NAMES_PATH = 1, NAMES_GLOBAL };

struct convert_options {
    struct settings settings;
    const char *output;
    unsigned format; /* one more than the varve_format; 0: not given */
    unsigned names;
    const char *only;
    const char *except;
    struct rename_options rename;
    struct text_list casts;
    uint64_t shard_size;
    uint64_t compress; /* compression level; 0: none */
    bool force;
    bool verbose;
};

/* Converts operands[0] to operands[1], and returns the outcome. Messages
 * contain the name of the command in the settings. */
int convert_file(const struct convert_options *options, char **operands);

#endif
