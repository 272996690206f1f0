/* event_message.c - Encodes numbers, strings and nested messages
 * (protobuf.dev/programming-guides/encoding), and makes events of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "event_message.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "crc.h"

/* --- Histograms ----------------------------------------------------------- */

enum { HALF = VV_MOST_BUCKETS / 2 }; /* number of limits below 0, and above 0 */

static void set_up(struct vv_histogram *h)
{
    memset(h, 0, sizeof *h);
    double *zero = h->limits + HALF;
    double limit = 1e-12;
    int i = 1;
    for (; limit < 1e20; limit *= 1.1, i++) {
        zero[i] = limit;
        zero[-i] = -limit;
    }
    assert(i == HALF);
    zero[i] = DBL_MAX;
    zero[-i] = -DBL_MAX;
}

/* Returns the first bucket whose limit is above the value, or the last bucket
 * for the largest number. */
static size_t histogram_bucket_of(const double *limits, double value)
{
    size_t low = 0;
    size_t high = VV_MOST_BUCKETS - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (limits[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void count_in(struct vv_histogram *h, double value)
{
    if (!isfinite(value)) {
        h->not_finite++;
        return;
    }
    if (h->count == 0 || value < h->min)
        h->min = value;
    if (h->count == 0 || value > h->max)
        h->max = value;
    h->count++;
    h->sum += value;
    h->sum_squares += value * value;
    h->counts[histogram_bucket_of(h->limits, value)]++;
}

/* Merges each run of empty buckets. */
static void compress(struct vv_histogram *h)
{
    size_t to = 0;
    for (size_t i = 0; i < VV_MOST_BUCKETS; i++) {
        bool joins = to > 0 && h->counts[i] == 0 && h->counts[to - 1] == 0;
        size_t at = joins ? to - 1 : to++;
        h->limits[at] = h->limits[i];
        h->counts[at] = h->counts[i];
    }
    h->bucket_count = to;
}

void vv_histogram_of_floats(
    struct vv_histogram *h, const float *values, size_t count)
{
    set_up(h);
    for (size_t i = 0; i < count; i++)
        count_in(h, (double)values[i]);
    compress(h);
}

void vv_histogram_of_doubles(
    struct vv_histogram *h, const double *values, size_t count)
{
    set_up(h);
    for (size_t i = 0; i < count; i++)
        count_in(h, values[i]);
    compress(h);
}

/* --- Messages: the wire --------------------------------------------------- */

enum wire_type { VARINT = 0, EIGHT_BYTES = 1, SIZED = 2, FOUR_BYTES = 5 };

/* Encodes seven bits per byte, lowest first; the highest bit is set in all
 * bytes but the last. */
static size_t put_varint(unsigned char bytes[10], uint64_t value)
{
    size_t size = 0;
    for (; value > 127; value >>= 7)
        bytes[size++] = (unsigned char)(value | 128);
    bytes[size++] = (unsigned char)value;
    return size;
}

static void add_varint(struct vv_buffer *b, uint64_t value)
{
    unsigned char bytes[10];
    vv_buffer_add(b, bytes, put_varint(bytes, value));
}

static void event_message_add_key(
    struct vv_buffer *b, unsigned field, enum wire_type type)
{
    add_varint(b, field << 3 | type);
}

static void event_message_add_number(
    struct vv_buffer *b, unsigned field, uint64_t value)
{
    event_message_add_key(b, field, VARINT);
    add_varint(b, value);
}

static void add_bits(struct vv_buffer *b, double value)
{
    vv_buffer_add64(b, vv_bits_of(value));
}

static void add_double(struct vv_buffer *b, unsigned field, double value)
{
    event_message_add_key(b, field, EIGHT_BYTES);
    add_bits(b, value);
}

static void add_float(struct vv_buffer *b, unsigned field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    event_message_add_key(b, field, FOUR_BYTES);
    vv_buffer_add32(b, bits);
}

static void event_message_add_bytes(
    struct vv_buffer *b, unsigned field, const void *bytes, size_t size)
{
    event_message_add_key(b, field, SIZED);
    add_varint(b, size);
    vv_buffer_add(b, bytes, size);
}

static void event_message_add_string(
    struct vv_buffer *b, unsigned field, const char *text)
{
    event_message_add_bytes(b, field, text, strlen(text));
}

static void add_doubles(
    struct vv_buffer *b, unsigned field, const double *values, size_t count)
{
    event_message_add_key(b, field, SIZED);
    add_varint(b, 8 * (uint64_t)count);
    for (size_t i = 0; i < count; i++)
        add_bits(b, values[i]);
}

/* Begins a nested message. Its size is inserted before it at the end. */
static size_t event_message_begin(struct vv_buffer *b, unsigned field)
{
    event_message_add_key(b, field, SIZED);
    return b->size;
}

static void event_message_end(struct vv_buffer *b, size_t content)
{
    unsigned char bytes[10];
    size_t size = b->size - content;
    size_t moved_by = put_varint(bytes, size);
    if (!vv_buffer_extend(b, moved_by))
        return;
    memmove(b->data + content + moved_by, b->data + content, size);
    memcpy(b->data + content, bytes, moved_by);
}

/* --- Records ------------------------------------------------------------- */

enum { RECORD_HEADER = 12 };

size_t vv_record_begin(struct vv_buffer *b)
{
    size_t at = b->size;
    vv_buffer_extend(b, RECORD_HEADER);
    return at;
}

static uint32_t record_sum(const void *bytes, size_t size)
{
    return vv_crc32c_mask(vv_crc32c(0, bytes, size));
}

void vv_record_end(struct vv_buffer *b, size_t at)
{
    if (b->failed)
        return;
    unsigned char *header = b->data + at;
    size_t size = b->size - at - RECORD_HEADER;
    vv_store64(header, size);
    vv_store32(header + 8, record_sum(header, 8));
    vv_buffer_add32(b, record_sum(header + RECORD_HEADER, size));
}

/* --- Events -------------------------------------------------------------- */

void vv_event_header(struct vv_buffer *b, double wall_time, int64_t step)
{
    add_double(b, 1, wall_time);
    event_message_add_number(b, 2, (uint64_t)step);
}

void vv_event_version(struct vv_buffer *b)
{
    event_message_add_string(b, 3, "brain.Event:2");
}

void vv_event_start(struct vv_buffer *b)
{
    size_t session_log = event_message_begin(b, 7);
    event_message_add_number(b, 1, 1);
    event_message_end(b, session_log);
}

/* Starts of the open messages around a value. */
struct value {
    size_t summary, value;
};

static struct value begin_value(struct vv_buffer *b, const char *tag)
{
    struct value v;
    v.summary = event_message_begin(b, 5);
    v.value = event_message_begin(b, 1);
    event_message_add_string(b, 1, tag);
    return v;
}

static void end_value(struct vv_buffer *b, struct value v)
{
    event_message_end(b, v.value);
    event_message_end(b, v.summary);
}

/* Returns the nearest float. In C the cast of a larger number is undefined. */
static float narrow(double value)
{
    if (value > (double)FLT_MAX)
        return INFINITY;
    return value < -(double)FLT_MAX ? -INFINITY : (float)value;
}

void vv_event_scalar(struct vv_buffer *b, const char *tag, double value)
{
    struct value v = begin_value(b, tag);
    add_float(b, 2, narrow(value));
    end_value(b, v);
}

void vv_event_histogram(
    struct vv_buffer *b, const char *tag, const struct vv_histogram *h)
{
    struct value v = begin_value(b, tag);
    size_t histo = event_message_begin(b, 5);
    add_double(b, 1, h->min);
    add_double(b, 2, h->max);
    add_double(b, 3, (double)h->count);
    add_double(b, 4, h->sum);
    add_double(b, 5, h->sum_squares);
    add_doubles(b, 6, h->limits, h->bucket_count);
    add_doubles(b, 7, h->counts, h->bucket_count);
    event_message_end(b, histo);
    end_value(b, v);
}

void vv_event_text(struct vv_buffer *b, const char *tag, const char *text)
{
    struct value v = begin_value(b, tag);
    size_t metadata = event_message_begin(b, 9);
    size_t plugin = event_message_begin(b, 1);
    event_message_add_string(b, 1, "text");
    event_message_end(b, plugin);
    event_message_add_number(b, 4, 2);
    event_message_end(b, metadata);
    size_t tensor = event_message_begin(b, 8);
    event_message_add_number(b, 1, 7);
    event_message_end(
        b, event_message_begin(b, 2)); /* the (empty) shape of a scalar */
    event_message_add_string(b, 8, text);
    event_message_end(b, tensor);
    end_value(b, v);
}

void vv_event_image(
    struct vv_buffer *b, const char *tag, const struct vv_event_image *image)
{
    struct value v = begin_value(b, tag);
    size_t message = event_message_begin(b, 4);
    event_message_add_number(b, 1, image->height);
    event_message_add_number(b, 2, image->width);
    event_message_add_number(b, 3, image->channels);
    size_t encoded = event_message_begin(b, 4);
    if (image->png)
        vv_buffer_add(b, image->png, image->size);
    else
        image->encode(image, b);
    event_message_end(b, encoded);
    event_message_end(b, message);
    end_value(b, v);
}
