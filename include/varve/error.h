/* error.h - how a call says that it failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ERROR_H
#define VARVE_ERROR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Why a call failed. 0 is good; numbers never change their meaning. */
typedef enum varve_status {
    VARVE_OK = 0,
    VARVE_MISUSE = 1,          /* the program broke a rule of the interface */
    VARVE_NO_MEMORY = 2,       /* the allocator gave nothing */
    VARVE_NOT_FOUND = 3,       /* no such file, path, edge or value */
    VARVE_EXISTS = 4,          /* the file is there and may not be replaced */
    VARVE_NO_PERMISSION = 5,   /* the system forbids it to this user */
    VARVE_NO_SPACE = 6,        /* disk full, or over a quota or size limit */
    VARVE_IO = 7,              /* any other failed system call, such as a write
                                  to a file system that is read-only: the
                                  message ends with the system's words */
    VARVE_UNKNOWN_OUTCOME = 8, /* the file is in place, but its directory could
                                  not be synced: it may or may not survive a
                                  power cut */
    VARVE_IS_DIRECTORY = 9,    /* a directory where a file was expected */
    VARVE_EMPTY_FILE = 10,     /* a file of no bytes */
    VARVE_NOT_A_CHECKPOINT = 11, /* somebody else's file */
    VARVE_TOO_NEW = 12,          /* a version, feature or option that this build
                                    does not know */
    VARVE_TRUNCATED = 13,        /* shorter than it says it is */
    VARVE_CORRUPT = 14,          /* damaged: a digest or a rule does not hold */
    VARVE_LIMIT = 15,            /* over a limit that docs/format.md states */
    VARVE_BAD_NAME = 16,         /* empty, too long, not UTF-8, or with a NUL */
    VARVE_BAD_SHAPE = 17,        /* rank above 16, more bytes than fit, or
                                    elements that lie on each other */
    VARVE_DUPLICATE = 18,        /* the name is taken at this node */
    VARVE_MISMATCH = 19,         /* type or shape of file and program differ */
    VARVE_UNMATCHED = 20,        /* an assertion about a restoration fails */
    VARVE_CANCELLED = 21,        /* a callback asked to stop */
    VARVE_CALLBACK = 22,         /* a callback of the program failed with any
                                    status but VARVE_NO_MEMORY, which is given
                                    as that */
    VARVE_PARTIALLY_RESTORED = 23, /* something failed while values were put in
                                 place (a read of one pass, or more than
                                 staging has room for): some variables hold
                                 other bytes; the message names them */
    VARVE_TIMEOUT = 24,     /* what was waited for did not come in time */
    VARVE_DISCONNECTED = 25 /* a process of the group is gone, or cannot be
                               reached */
} varve_status;

/* Room for a message. Longer ones are cut at the end of a line, and say so. */
#define VARVE_MESSAGE_SIZE 4096

/* Filled by a call that fails; untouched by one that succeeds. Lives on the
 * caller's stack; every `error` argument may be NULL.
 *
 * `message` is one line, `where: expected this, found that`, with file, path,
 * shapes and offset where they apply, and without a newline at its end. Where a
 * call has several findings to name (a failed assertion, mismatches), it is
 * that line followed by one line for each. */
typedef struct varve_error {
    varve_status status;
    int system_error; /* errno of the failed system call, else 0 */
    char message[VARVE_MESSAGE_SIZE];
} varve_error;

/* The name of a status as it stands in this header, such as "VARVE_CORRUPT";
 * "unknown status" for any other number. Static storage. */
VARVE_API const char *varve_status_name(varve_status status);

VARVE_END_DECLS

#endif
