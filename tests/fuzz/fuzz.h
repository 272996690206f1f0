/* fuzz.h - what every fuzz target is made from: its inputs, its limits, and how
 * it says that something is wrong.
 *
 * An input is the bytes of a file, and behind its footer at most four bytes
 * more: flags that say what a target does with the file (fuzz_restore alone
 * looks at them; without them they are 0). A target ends the process when it
 * finds the library at fault.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/reader.h>

/* The name under which every input is opened, and what the names of all files
 * begin with. */
#define FUZZ_PATH "hostile.bytes"
#define FUZZ_STEM "hostile."

typedef void fuzz_target(const uint8_t *bytes, size_t size);

fuzz_target fuzz_index;   /* header, footer, index: the parser alone */
fuzz_target fuzz_bundle;         /* a TensorFlow checkpoint */
fuzz_target fuzz_bundle_entries; /* one made of what is in such */
fuzz_target fuzz_dcp;     /* a checkpoint of torch.distributed */
fuzz_target fuzz_flax;    /* a file of Flax */
fuzz_target fuzz_gguf;    /* GGUF files */
fuzz_target fuzz_keras;   /* what a model of Keras says of its layers */
fuzz_target fuzz_layers;  /* an index, and layers as the flags have them */
fuzz_target fuzz_npy;     /* a NumPy array */
fuzz_target fuzz_npz;     /* an archive of them */
fuzz_target fuzz_onnx;    /* a model of ONNX */
fuzz_target fuzz_reader;  /* everything that a reader can be asked */
fuzz_target fuzz_safetensors;       /* a safetensors file */
fuzz_target fuzz_safetensors_index; /* several, and the index beside them */
fuzz_target fuzz_rewrite; /* saved again, and repacked */
fuzz_target fuzz_torch;   /* a file of torch.save */
fuzz_target fuzz_restore; /* into a live graph, with the options of the flags */

struct bounded;

/* Asks a reader everything that there is to ask. */
void fuzz_look_at(varve_reader *reader, struct bounded *bounded);

/* Ends the process unless something holds. */
#define FUZZ_CHECK(holds, ...)                                                 \
    do {                                                                       \
        if (!(holds)) {                                                        \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                    \
            fprintf(stderr, __VA_ARGS__);                                      \
            fputc('\n', stderr);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* A failure is clear: a status that a file can be to blame for, and a message
 * that names the file. */
void fuzz_check_failure(varve_status status, const varve_error *error);

/* The bytes of the file in an input, without the flags. */
size_t fuzz_file_size(const uint8_t *bytes, size_t size);
uint32_t fuzz_flags(const uint8_t *bytes, size_t size);

/* Runs a target on a thread with a small stack, always the same thread. */
void fuzz_run(fuzz_target *target, const uint8_t *bytes, size_t size);

#endif
