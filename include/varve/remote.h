/* remote.h - Reads checkpoints from web servers and stores, and writes them to
 * stores.
 *
 *     if (varve_remote_enable(NULL, &error))
 *         return fail(&error);
 *     reader = varve_reader_open("s3://bucket/run/ckpt-3.varve", NULL, &error);
 *
 * Files at https://, http:// and s3:// URLs are read in place, without
 * downloading them first. Files can be written to s3:// URLs, which refer to
 * stores that support the API of Amazon S3. A file appears in the store in one
 * step, when it is complete. docs/howto/remote.md lists what is not supported
 * in a store, and docs/reliability.md what is guaranteed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_REMOTE_H
#define VARVE_REMOTE_H

#include <varve/error.h>

VARVE_BEGIN_DECLS

/* Controls which redirects of a server are followed, up to 5 in a row.
 *
 * Redirects of signed requests are never followed. Requests for a file are
 * never sent to a link-local address (169.254.0.0/16, fe80::/10) or to
 * fd00:ec2::254, because the metadata services of clouds return credentials
 * there. If a proxy resolves host names, only addresses in URLs are
 * recognized. */
typedef enum varve_redirects {
    VARVE_REDIRECTS_ANY = 0,       /* to any host */
    VARVE_REDIRECTS_SAME_HOST = 1, /* to any path or port of the same host */
    VARVE_REDIRECTS_NONE = 2       /* none: a redirect is an error */
} varve_redirects;

/* Options for URLs. All zero is the default, and NULL is the same. */
typedef struct varve_remote_options {
    unsigned attempts;            /* number of consecutive attempts with almost
                                     no data before a request fails; 0: 6 */
    unsigned wait_ms;             /* maximum wait before the second attempt, in
                                     milliseconds; doubled for each further
                                     attempt, up to 10 s; 0: 100 */
    unsigned connect_timeout_ms;  /* maximum time to connect, in milliseconds;
                                     0: 10000 */
    unsigned stall_timeout_s;     /* maximum time with almost no data, in
                                     seconds; 0: 30 */
    const char *certificates;     /* PEM file of trusted certificates; NULL:
                                     those of the system */
    size_t part_size;             /* bytes of a part of an upload; increased if
                                     10000 parts are not enough; stores require
                                     at least 5 MiB; 0: 8 MiB */
    unsigned operation_timeout_s; /* maximum time in seconds for a read, a
                                     listing or the upload of a part, with all
                                     attempts and waits. Then the operation
                                     fails with VARVE_IO, or with
                                     VARVE_UNKNOWN_OUTCOME if it may have
                                     succeeded; 0: 600 */
    varve_redirects redirects;    /* which redirects are followed */
    bool allow_unversioned;       /* read files of servers that send neither
                                     ETag nor Last-Modified. If such a file is
                                     replaced during a read, the result is a
                                     mixture of both versions, which only
                                     checksums detect. Without this option the
                                     second request for such a file fails with
                                     VARVE_IO */
    unsigned concurrency;         /* maximum number of simultaneous requests for
                                     reading files or writing a file, up to 64;
                                     independent of processors and of `threads`.
                                     Each needs `range_size` or `part_size`
                                     bytes of memory; 0: 10 */
    size_t range_size;            /* bytes that a request reads if more will be
                                     read, at least 64 KiB; 0: 8 MiB */
    void *reserved[5];
} varve_remote_options;

/* Enables paths that begin with https://, http:// or s3://.
 *
 * Call it before other threads use the library. Graphs, readers and other
 * objects that were created before do not support URLs. A second call sets
 * other options for files that are opened afterwards. URLs cannot be disabled
 * again.
 *
 * - Returns VARVE_NOT_FOUND if the module `varve-remote` is not installed. Only
 *   this module links libcurl.
 * - Returns VARVE_TOO_NEW if the library or the module was built without
 *   support for URLs. */
VARVE_API varve_status varve_remote_enable(
    const varve_remote_options *options, varve_error *error);

/* Called for a name in a directory, which is borrowed for the call. Return
 * VARVE_OK to continue; any other status ends the listing. */
typedef varve_status varve_on_name(void *user, const char *name);

/* Lists a directory of a store, s3://BUCKET or s3://BUCKET/DIRECTORY.
 *
 * `on_name` is called with the name of each file and directory in it, in the
 * order of the store. In a store a directory without files does not exist: then
 * `on_name` is not called, and the function returns VARVE_OK.
 *
 * - Returns VARVE_CALLBACK if `on_name` ends the listing.
 * - Returns VARVE_MISUSE for another path, and before varve_remote_enable. */
VARVE_API varve_status varve_remote_each(const char *directory,
    varve_on_name *on_name, void *user, varve_error *error);

VARVE_END_DECLS

#endif
