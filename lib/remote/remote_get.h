/* remote_get.h - Sends one GET request, with retries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_GET_H
#define VV_REMOTE_GET_H

#include "remote_answer.h"
#include "remote_url.h"
#include "remote_text.h"
#include "store_module.h"

/* The settings of an open file, fixed when it is opened. */
struct vv_remote_settings {
    /* to read */
    const struct vv_system *machine;
    unsigned attempts;
    unsigned wait_ms;
    unsigned connect_timeout_ms;
    unsigned stall_timeout_s;
    unsigned operation_timeout_s;
    varve_redirects redirects;
    bool allow_unversioned;
    size_t part_size;
    size_t range_size;
    unsigned concurrency;
    unsigned lock_period_ms; /* time between two renewals of a lock */
    char *certificates;      /* or NULL */
    struct vv_remote_settings *older;
};

/* Reads a part of a file into `to`, and sets *size to its size and *answer to
 * the response. Returns 0, or a failure; then the bytes must not be used. */
int vv_remote_get_range(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const struct vv_remote_range *range,
    unsigned char *to, size_t *size, struct vv_remote_answer *answer);

/* Reads a text that must contain `end`; retries if it does not. */
int vv_remote_get_text(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const char *end,
    struct vv_remote_text *text);

#endif
