/* fuzz.h - Declares what all fuzz targets share: inputs, limits and the
 * reporting of failures.
 *
 * An input is the content of a file, followed by at most four bytes of flags
 * behind the footer. The flags control what a target does with the file (only
 * fuzz_restore uses them; without them they are 0). A target ends the process
 * when the library misbehaves.
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

/* The name under which every input is opened, and the prefix of all file
 * names. */
#define FUZZ_PATH "hostile.bytes"
#define FUZZ_STEM "hostile."

typedef void fuzz_target(const uint8_t *bytes, size_t size);

fuzz_target fuzz_index;  /* the parser only: header, footer, index */
fuzz_target fuzz_bundle; /* TensorFlow checkpoints */
/* TensorFlow checkpoints built from their entries */
fuzz_target fuzz_bundle_entries;
fuzz_target fuzz_dcp;     /* torch.distributed checkpoints */
fuzz_target fuzz_flax;    /* Flax files */
fuzz_target fuzz_gguf;    /* GGUF files */
fuzz_target fuzz_keras;   /* the layer descriptions in a Keras model */
/* an index with data files; the flags select a defect */
fuzz_target fuzz_layers;
fuzz_target fuzz_npy;         /* NumPy arrays */
fuzz_target fuzz_npz;         /* NumPy archives */
fuzz_target fuzz_onnx;        /* ONNX models */
fuzz_target fuzz_reader;      /* every query of a reader */
fuzz_target fuzz_safetensors; /* safetensors files */
/* several safetensors files and their index */
fuzz_target fuzz_safetensors_index;
fuzz_target fuzz_rewrite; /* files that are saved again and repacked */
fuzz_target fuzz_torch;   /* torch.save files */
/* restores into a live graph; the flags select options */
fuzz_target fuzz_restore;

struct bounded;

/* Calls every query of a reader. */
void fuzz_look_at(varve_reader *reader, struct bounded *bounded);

/* Ends the process if `holds` is false. */
#define FUZZ_CHECK(holds, ...)                                                 \
    do {                                                                       \
        if (!(holds)) {                                                        \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                    \
            fprintf(stderr, __VA_ARGS__);                                      \
            fputc('\n', stderr);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* Checks that a failure has a status that a file can cause, and a message that
 * contains the file name. */
void fuzz_check_failure(varve_status status, const varve_error *error);

/* Returns the size of the file in an input, without the flags. */
size_t fuzz_file_size(const uint8_t *bytes, size_t size);
uint32_t fuzz_flags(const uint8_t *bytes, size_t size);

/* Runs a target on a thread with a small stack. All calls use the same
 * thread. */
void fuzz_run(fuzz_target *target, const uint8_t *bytes, size_t size);

#endif
