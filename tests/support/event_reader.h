/* event_reader.h - Declares a reader of event files that shares no code with
 * the writer.
 *
 *     struct event_list list = event_read(bytes, size);
 *     cr_assert_null(list.fault);
 *     cr_assert_eq(list.events[1].values[0].scalar, 0.5);
 *     event_list_free(&list);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_EVENT_READER_H
#define SUPPORT_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_MOST_VALUES = 2, EVENT_MOST_BUCKETS = 1600 };

/* Bytes inside the data that was read. */
struct event_bytes {
    const unsigned char *data;
    size_t size;
};

struct event_histogram {
    double min, max, count, sum, sum_squares;
    struct event_bytes limits, counts; /* doubles, little-endian */
};

struct event_image {
    uint64_t width, height, channels;
    struct event_bytes png;
};

struct event_value {
    struct event_bytes tag;
    bool has_scalar, has_histogram, has_image;
    float scalar;
    struct event_histogram histogram;
    struct event_image image;
    struct event_bytes plugin; /* "text" */
    uint64_t data_class;
    uint64_t dtype;
    bool has_shape;
    struct event_bytes text;
};

struct event {
    double wall_time;
    int64_t step;
    struct event_bytes version;
    uint64_t session_status; /* 1: START */
    struct event_value values[EVENT_MOST_VALUES];
    size_t value_count;
};

struct event_list {
    struct event *events;
    size_t count;
    size_t whole;      /* size of all complete records */
    bool is_cut;       /* followed by a truncated one */
    const char *fault; /* the error in the next record, or NULL */
};

struct event_list event_read(const void *bytes, size_t size);
void event_list_free(struct event_list *list);

bool event_bytes_are(struct event_bytes bytes, const char *text);
double event_double(struct event_bytes doubles, size_t i);

/* Returns the pixels of a PNG with stored data, without filter bytes, to be
 * freed with free. Returns NULL after any error: a checksum, a length, a
 * chunk. */
unsigned char *event_pixels(
    struct event_bytes png, uint32_t width, uint32_t height, unsigned channels);

#endif
