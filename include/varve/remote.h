/* remote.h - checkpoints that are read from where they lie: https:// and
 * http://, and s3:// of a store that speaks as Amazon's S3 does, to which they
 * are written too.
 *
 *     if (varve_remote_enable(NULL, &error))
 *         ...
 *     reader = varve_reader_open("s3://bucket/run/ckpt-3.varve", NULL, &error);
 *
 * A file that is saved to s3:// appears there in one step, when it is whole;
 * to the others nothing is written. docs/howto/remote.md says what no store can
 * do, which is refused, and docs/reliability.md what of the promises of files
 * holds there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REMOTE_H
#define VARVE_REMOTE_H

#include <varve/error.h>

VARVE_BEGIN_DECLS

/* The redirects of a server that are followed, up to 5 in a row. Redirects of
 * signed requests are never followed. No request for a file is sent to a
 * link-local address (169.254.0.0/16, fe80::/10) or to fd00:ec2::254: the
 * metadata services of clouds return credentials there. If a proxy resolves the
 * names of hosts, only addresses in URLs are recognized. */
typedef enum varve_redirects {
    VARVE_REDIRECTS_ANY = 0,       /* to any host */
    VARVE_REDIRECTS_SAME_HOST = 1, /* to a path or port of the same host */
    VARVE_REDIRECTS_NONE = 2       /* none: a redirect is a failure */
} varve_redirects;

/* All zero is the default; NULL stands for that. */
typedef struct varve_remote_options {
    unsigned attempts;           /* in a row that bring next to nothing, until
                                    a request has failed; 0: 6 */
    unsigned wait_ms;            /* before the second one, at most; doubled
                                    before each further one up to 10 s; 0:
                                    100 */
    unsigned connect_timeout_ms; /* 0: 10000 */
    unsigned stall_timeout_s;    /* for which next to nothing may come; 0: 30 */
    const char *certificates;    /* a file of those that are trusted (PEM),
                                    instead of the system's; or NULL */
    size_t part_size;            /* of a file that is written, in bytes; larger
                                    where 10000 would not be enough, and stores
                                    want 5 MiB at least; 0: 8 MiB */
    unsigned operation_timeout_s; /* limits one read, one listing, or the
                                     upload of one part, with all attempts and
                                     waits. After that it fails with VARVE_IO,
                                     or with VARVE_UNKNOWN_OUTCOME if it may
                                     have been done; 0: 600 */
    varve_redirects redirects;
    bool allow_unversioned; /* reads files of servers that send neither ETag
                               nor Last-Modified. If such a file is replaced
                               while it is read, the result is a mixture of
                               both versions, which only digests detect.
                               Without this option the second request for such
                               a file fails with VARVE_IO */
    unsigned concurrency;   /* requests that are in flight at once to read files
                               or to write one, at most 64; independent of the
                               number of processors and of `threads`. Each takes
                               memory of `range_size` or `part_size`; 0: 10 */
    size_t range_size;      /* bytes that one request reads of a file where
                               more is going to be read, at least 64 KiB;
                               0: 8 MiB */
    void *reserved[5];
} varve_remote_options;

/* From now on, paths that begin with https://, http:// or s3:// are read from
 * there, and those of s3:// written. Before other threads use the library: what
 * was made before (a graph, a reader) does not know of it. Again: other
 * options, for files that are opened from then on. It is never undone.
 *
 * VARVE_NOT_FOUND without the module `varve-remote`, through which alone
 * libcurl is linked; VARVE_TOO_NEW where this library, or the module, was built
 * without it. */
VARVE_API varve_status varve_remote_enable(
    const varve_remote_options *options, varve_error *error);

/* Any status other than VARVE_OK ends the listing. */
typedef varve_status varve_on_name(void *user, const char *name);

/* Calls `on_name` with the name of each file and directory in a directory of a
 * store, s3://BUCKET or s3://BUCKET/DIRECTORY, in the order of the store. A
 * directory that has no files does not exist there: `on_name` is not called. */
VARVE_API varve_status varve_remote_each(const char *directory,
    varve_on_name *on_name, void *user, varve_error *error);

VARVE_END_DECLS

#endif
