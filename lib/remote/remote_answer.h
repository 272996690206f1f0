/* remote_answer.h - what a server says above its bytes, and whether these are
 * those that were asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_ANSWER_H
#define VV_REMOTE_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VV_REMOTE_TAG_SIZE = 200,
    VV_REMOTE_DATE_SIZE = 64,
    VV_REMOTE_TOKEN_SIZE = 33
};

/* The header that has the token. */
#define VV_REMOTE_TOKEN_HEADER "x-amz-meta-varve"

/* Which content of a file it is: the same as long as it is open. */
struct vv_remote_validator {
    /* to fill in */
    uint64_t size;
    char tag[VV_REMOTE_TAG_SIZE];   /* "": the server gives none */
    char date[VV_REMOTE_DATE_SIZE]; /* of its last change; "" likewise */
};

struct vv_remote_answer {
    /* to read */
    long code;    /* of HTTP */
    bool is_over; /* its headers have ended: trailers are not headers */
    struct vv_remote_validator mark;
    uint64_t first; /* of the range; only with `has_range` */
    uint64_t last;
    bool has_range;
    bool has_size;   /* of the file, in `mark` */
    bool is_empty;   /* an answer of no bytes */
    bool is_coded;   /* compressed, say: other bytes than those of the file */
    char region[32]; /* where the bucket is, if not where it was looked for */
    unsigned retry_after; /* seconds */
    bool has_length;
    uint64_t length; /* of the bytes below, or that there would be */
    bool is_keyed;   /* the tag is of bytes that were encrypted */
    char token[VV_REMOTE_TOKEN_SIZE]; /* of who wrote it, "" without one */
    char clock[VV_REMOTE_DATE_SIZE];  /* of the server */
    /* to fill in */
    int64_t asked; /* by the clock here: nanoseconds since 1970; 0: unknown */
};

/* Takes one line of the headers. A status line begins another answer, as after
 * a redirection, and clears `a`. Lines behind the empty line that ends the
 * headers are trailers (RFC 9110, 6.5): those are ignored, and a status line as
 * well where the answer was a success, because bytes are checked against the
 * headers before they are taken. */
void vv_remote_answer_line(
    struct vv_remote_answer *a, const char *line, size_t size);

enum vv_remote_verdict {
    VV_REMOTE_GOOD,
    VV_REMOTE_AGAIN, /* may be another the next time */
    VV_REMOTE_FINAL
};

/* What was asked for. */
struct vv_remote_range {
    /* to fill in */
    uint64_t first;
    uint64_t last;
    const struct vv_remote_validator *mark; /* NULL: the file is being opened,
                                          and may end before `last` */
    const atomic_bool *stop; /* set once nobody wants it any more; or NULL */
};

/* Whether it answers a question for a range; if not, *number is an errno and
 * `why` says it. (404 and the like are said by vv_remote_refusal.) */
enum vv_remote_verdict vv_remote_check_range(const struct vv_remote_answer *a,
    const struct vv_remote_range *range, int *number, const char **why);

/* What a store calls a failure: <Code>NoSuchBucket</Code>; "" where it has no
 * name. */
void vv_remote_name_of_refusal(const char *body, char *name, size_t room);

/* The same of a code that is an error whatever was asked. `body` is how its
 * text begins, in which a store says more. */
enum vv_remote_verdict vv_remote_refusal(const struct vv_remote_answer *a,
    const char *body, int *number, char *why, size_t why_size);

#endif
