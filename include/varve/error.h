/* error.h - Declares the status codes and the error struct.
 *
 * Example:
 *
 *     varve_error error;
 *     if (varve_write(root, "model.varve", NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ERROR_H
#define VARVE_ERROR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The result of a call. VARVE_OK is 0; the numbers never change their
 * meaning. */
typedef enum varve_status {
    VARVE_OK = 0,
    VARVE_MISUSE = 1,          /* the program violated a rule of the API */
    VARVE_NO_MEMORY = 2,       /* memory allocation failed */
    VARVE_NOT_FOUND = 3,       /* no such file, path, edge or value */
    VARVE_EXISTS = 4,          /* the file exists and must not be replaced */
    VARVE_NO_PERMISSION = 5,   /* the operating system denied permission */
    VARVE_NO_SPACE = 6,        /* the disk is full, or a quota or size limit is
                                  exceeded */
    VARVE_IO = 7,              /* any other system call failed, such as a write
                                  to a read-only file system; the message ends
                                  with the system's error text */
    VARVE_UNKNOWN_OUTCOME = 8, /* the file was written, but its directory could
                                  not be synced: the file may be lost in a power
                                  failure */
    VARVE_IS_DIRECTORY = 9,    /* found a directory, expected a file */
    VARVE_EMPTY_FILE = 10,     /* the file is empty */
    VARVE_NOT_A_CHECKPOINT = 11, /* the file is not a checkpoint, or its format
                                    is not supported */
    VARVE_TOO_NEW = 12,          /* the file or the options need a version or
                                    feature that this build does not support */
    VARVE_TRUNCATED = 13,        /* the file ends too early */
    VARVE_CORRUPT = 14,          /* the file is damaged: a checksum or a rule of
                                    the format is violated */
    VARVE_LIMIT = 15,            /* a limit that docs/format.md lists is
                                    exceeded */
    VARVE_BAD_NAME = 16,         /* the name is empty, too long, not UTF-8, or
                                    contains a NUL */
    VARVE_BAD_SHAPE = 17,        /* the rank is above 16, the size overflows, or
                                    elements overlap */
    VARVE_DUPLICATE = 18,        /* the name exists at this node already */
    VARVE_MISMATCH = 19,         /* the type, shape or fixed value in the file
                                    differs from that of the program */
    VARVE_UNMATCHED = 20,        /* an assertion about a restoration failed */
    VARVE_CANCELLED = 21,        /* a callback cancelled the call */
    VARVE_CALLBACK = 22,         /* a callback of the program failed;
                                    VARVE_NO_MEMORY from a callback is returned
                                    as VARVE_NO_MEMORY instead */
    VARVE_PARTIALLY_RESTORED = 23, /* the restore failed after it had modified
                                      some variables, which the message names
                                      (with VARVE_ONE_PASS, or with more data
                                      than the staging buffer holds) */
    VARVE_TIMEOUT = 24,            /* the time limit of a wait expired */
    VARVE_DISCONNECTED = 25        /* a process of the group ended or cannot be
                                      reached */
} varve_status;

/* The size of a message in bytes. Longer messages are truncated at the end of a
 * line, and the last line states that. */
#define VARVE_MESSAGE_SIZE 4096

/* Describes why a call failed. The caller allocates it, usually on the stack.
 *
 * A call that fails fills it in. A call that succeeds does not change it. Every
 * `error` argument may be NULL.
 *
 * `message` is one line without a newline at its end. It contains the file,
 * path, shapes and offset that apply. If a call reports several findings, such
 * as mismatches or a failed assertion, this line is followed by one line for
 * each finding. */
typedef struct varve_error {
    varve_status status;
    int system_error; /* errno of the failed system call, or 0 */
    char message[VARVE_MESSAGE_SIZE];
} varve_error;

/* Returns the name of a status, such as "VARVE_CORRUPT".
 *
 * The string is static. For any other number the result is "unknown status". */
VARVE_API const char *varve_status_name(varve_status status);

VARVE_END_DECLS

#endif
