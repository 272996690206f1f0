/* remote_get.h - one question to a server, asked again where that may help.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_GET_H
#define VV_REMOTE_GET_H

#include "remote_answer.h"
#include "remote_url.h"
#include "remote_text.h"
#include "store_module.h"

/* What a file is opened with, and keeps. */
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
    unsigned lock_period_ms; /* between two renewals of a lock */
    char *certificates;      /* or NULL */
    struct vv_remote_settings *older;
};

/* A part of a file: its bytes are put at `to`, and *size is how many they are.
 * `answer` is filled in. 0, or what failed: then nothing there is to be used.
 */
int vv_remote_get_range(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const struct vv_remote_range *range,
    unsigned char *to, size_t *size, struct vv_remote_answer *answer);

/* A text, which has `end` in it: one without is asked for again. */
int vv_remote_get_text(const struct vv_remote_settings *settings,
    const struct vv_remote_place *place, const char *end,
    struct vv_remote_text *text);

#endif
