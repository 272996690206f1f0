/* remote_answer.h - Parses the headers of a response, and checks that its body
 * is the requested range.
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

/* Name of the header that contains the token. */
#define VV_REMOTE_TOKEN_HEADER "x-amz-meta-varve"

/* Identifies the content of a file; it must not change while the file is
 * open. */
struct vv_remote_validator {
    /* to fill in */
    uint64_t size;
    char tag[VV_REMOTE_TAG_SIZE]; /* ETag; "" if the server sends none */
    /* Last-Modified; "" if the server sends none */
    char date[VV_REMOTE_DATE_SIZE];
};

struct vv_remote_answer {
    /* to read */
    long code;    /* HTTP status */
    bool is_over; /* its headers have ended; trailers follow */
    struct vv_remote_validator mark;
    uint64_t first; /* of the range; valid if `has_range` */
    uint64_t last;
    bool has_range;
    bool has_size; /* the size of the file is known, in `mark` */
    bool is_empty; /* the response has no body */
    /* the body is compressed and differs from the bytes of the file */
    bool is_coded;
    char region[32]; /* region of the bucket if it is not the requested one */
    unsigned retry_after; /* in seconds */
    bool has_length;
    uint64_t length; /* size of the body, or the size that a GET would return */
    /* the object is encrypted, so its ETag is not a checksum of the content */
    bool is_keyed;
    /* identifies the upload that wrote the object; "" if there is none */
    char token[VV_REMOTE_TOKEN_SIZE];
    char clock[VV_REMOTE_DATE_SIZE]; /* Date of the server */
    /* to fill in */
    /* local time of the request, in nanoseconds since 1970; 0: unknown */
    int64_t asked;
};

/* Parses one header line. A status line begins a new response, for example
 * after a redirect, and clears `a`. Lines after the empty line that ends the
 * headers are trailers (RFC 9110, 6.5). They are ignored, as is a status line
 * after a successful response, because the headers are checked before any bytes
 * are used. */
void vv_remote_answer_line(
    struct vv_remote_answer *a, const char *line, size_t size);

enum vv_remote_verdict {
    VV_REMOTE_GOOD,
    VV_REMOTE_AGAIN, /* a retry may succeed */
    VV_REMOTE_FINAL
};

/* A requested range. */
struct vv_remote_range {
    /* to fill in */
    uint64_t first;
    uint64_t last;
    /* NULL while the file is being opened; then it can end before `last` */
    const struct vv_remote_validator *mark;
    /* set when the range is no longer needed; or NULL */
    const atomic_bool *stop;
};

/* Checks that a response fits the requested range. Otherwise sets *number to an
 * errno and *why to the reason. (vv_remote_refusal handles errors such as
 * 404.) */
enum vv_remote_verdict vv_remote_check_range(const struct vv_remote_answer *a,
    const struct vv_remote_range *range, int *number, const char **why);

/* Sets `name` to the error code of a store, as in <Code>NoSuchBucket</Code>; ""
 * if there is none. */
void vv_remote_name_of_refusal(const char *body, char *name, size_t room);

/* Like vv_remote_check_range, for a status that is an error for every request.
 * `body` is the start of the response body, which contains more details from
 * stores. */
enum vv_remote_verdict vv_remote_refusal(const struct vv_remote_answer *a,
    const char *body, int *number, char *why, size_t why_size);

#endif
