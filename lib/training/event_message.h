/* event_message.h - Writes events in the format of TensorBoard: messages of
 * Protocol Buffers in records.
 *
 * Only the fields that TensorBoard needs are written
 * (tensorboard/compat/proto/{event,summary,histogram,tensor}.proto):
 *
 *     Event            wall_time 1 double, step 2 int64, file_version 3 string,
 *                      summary 5, session_log 7
 *     SessionLog       status 1 (START is 1)
 *     Summary          value 1, repeated
 *     Summary.Value    tag 1 string, simple_value 2 float, image 4, histo 5,
 *                      tensor 8, metadata 9
 *     Summary.Image    height 1, width 2, colorspace 3 (channels),
 *                      encoded_image_string 4
 *     HistogramProto   min 1, max 2, num 3, sum 4, sum_squares 5: double;
 *                      bucket_limit 6, bucket 7: packed doubles
 *     SummaryMetadata  plugin_data 1 (plugin_name 1), data_class 4 (a tensor
 *                      is 2)
 *     TensorProto      dtype 1 (a string is 7), tensor_shape 2, string_val 8
 *
 * A record consists of the length of the message (u64), the masked CRC-32C of
 * those 8 bytes, the message, and its masked CRC-32C.
 *
 * Arguments are not checked. A failed allocation is recorded in the buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EVENT_MESSAGE_H
#define VV_EVENT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

/* --- Histograms ----------------------------------------------------------- */

/* Computes histograms in the form that TensorBoard displays. */

enum { VV_MOST_BUCKETS = 1551 };

/* A histogram of the finite numbers; others are only counted. Bucket i counts
 * the numbers in [limits[i - 1], limits[i]). Without numbers, min and max are
 * 0. */
struct vv_histogram {
    double min, max, sum, sum_squares;
    uint64_t count;
    uint64_t not_finite;
    size_t bucket_count; /* at least 1 */
    double limits[VV_MOST_BUCKETS];
    double counts[VV_MOST_BUCKETS];
};

/* Count into buckets whose limits grow by 10 % each, from 1e-12 to 1e20 on both
 * sides of 0, and merge runs of empty buckets: the buckets of TensorFlow
 * (core/lib/histogram/histogram.cc). */
void vv_histogram_of_floats(
    struct vv_histogram *h, const float *values, size_t count);
void vv_histogram_of_doubles(
    struct vv_histogram *h, const double *values, size_t count);

/* --- Messages ------------------------------------------------------------- */

struct vv_histogram;

/* vv_record_begin begins a record and returns the value for vv_record_end. All
 * bytes added in between are its message. */
size_t vv_record_begin(struct vv_buffer *b);
void vv_record_end(struct vv_buffer *b, size_t begin);

/* Begins every event. `wall_time` is in seconds since 1970-01-01 UTC. */
void vv_event_header(struct vv_buffer *b, double wall_time, int64_t step);

/* One of these follows the header: "brain.Event:2", or SessionLog.START. */
void vv_event_version(struct vv_buffer *b);
void vv_event_start(struct vv_buffer *b);

/* Or any number of these. */
void vv_event_scalar(struct vv_buffer *b, const char *tag, double value);
void vv_event_histogram(
    struct vv_buffer *b, const char *tag, const struct vv_histogram *histogram);
void vv_event_text(struct vv_buffer *b, const char *tag, const char *text);

struct vv_event_image {
    uint32_t width;
    uint32_t height;
    unsigned channels;
    const void *png; /* NULL: `encode` is called and must append the PNG */
    size_t size;
    void (*encode)(const struct vv_event_image *image, struct vv_buffer *b);
    const void *pixels;
};

void vv_event_image(
    struct vv_buffer *b, const char *tag, const struct vv_event_image *image);

#endif
