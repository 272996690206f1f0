/* test_event_message.c - Tests encoding events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "event_message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/event_reader.h"

static struct vv_buffer b;
static size_t begin;

static void begin_event(int64_t step)
{
    vv_buffer_init(&b, test_allocator());
    begin = vv_record_begin(&b);
    vv_event_header(&b, 1234.5, step);
}

static struct event_list end_event(void)
{
    vv_record_end(&b, begin);
    cr_assert_not(b.failed);
    struct event_list list = event_read(b.data, b.size);
    cr_assert_null(list.fault, "%s", list.fault);
    cr_assert_eq(list.count, 1);
    cr_assert_not(list.is_cut);
    cr_assert_eq(list.events[0].wall_time, 1234.5);
    return list;
}

static void release(struct event_list *list)
{
    event_list_free(list);
    vv_buffer_clear(&b);
}

/* TensorFlow begins a file like this; the time is 0 here. */
TEST(event_message, begins_a_file_like_tensorflow)
{
    static const unsigned char expected[] = { 24, 0, 0, 0, 0, 0, 0, 0, 0xa3,
        0x7f, 0x4b, 0x22, 9, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x1a, 13, 'b', 'r',
        'a', 'i', 'n', '.', 'E', 'v', 'e', 'n', 't', ':', '2' };
    vv_buffer_init(&b, test_allocator());
    begin = vv_record_begin(&b);
    vv_event_header(&b, 1, 0);
    vv_event_version(&b);
    vv_record_end(&b, begin);
    struct event_list list = event_read(b.data, b.size);
    cr_assert_eq(list.count, 1);
    cr_assert(event_bytes_are(list.events[0].version, "brain.Event:2"));
    /* Varve writes the step even if it is 0: two more bytes. */
    cr_assert_eq(b.size, sizeof expected + 2 + 4);
    cr_assert_eq(memcmp(b.data + 12, expected + 12, 9), 0);
    cr_assert_eq(memcmp(b.data + 23, expected + 21, 15), 0);
    release(&list);
}

TEST(event_message, holds_every_step)
{
    static const int64_t steps[] = { 0, 1, 127, 128, 16384, 1000000, INT64_MAX,
        -1, INT64_MIN };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        begin_event(steps[i]);
        vv_event_start(&b);
        struct event_list list = end_event();
        cr_assert_eq(list.events[0].step, steps[i]);
        cr_assert_eq(list.events[0].session_status, 1);
        release(&list);
    }
}

static void check_scalar(double value, float expected)
{
    begin_event(7);
    vv_event_scalar(&b, "train/loss", value);
    struct event_list list = end_event();
    struct event_value *seen = &list.events[0].values[0];
    cr_assert_eq(list.events[0].step, 7);
    cr_assert_eq(list.events[0].value_count, 1);
    cr_assert(event_bytes_are(seen->tag, "train/loss"));
    cr_assert(seen->has_scalar);
    cr_assert(memcmp(&seen->scalar, &expected, 4) == 0 ||
              (isnan(value) && isnan(seen->scalar)));
    release(&list);
}

TEST(event_message, holds_scalars_as_the_nearest_float)
{
    check_scalar(0.5, 0.5F);
    check_scalar(0.1, 0.1F);
    check_scalar(-0.0, -0.0F);
    check_scalar(1e300, INFINITY);
    check_scalar(-1e300, -INFINITY);
    check_scalar(INFINITY, INFINITY);
    check_scalar((double)NAN, NAN);
}

TEST(event_message, holds_histograms)
{
    static struct vv_histogram h;
    static const double values[] = { 1, 2, 2, -5 };
    vv_histogram_of_doubles(&h, values, 4);
    begin_event(1);
    vv_event_histogram(&b, "w", &h);
    struct event_list list = end_event();
    struct event_value *seen = &list.events[0].values[0];
    cr_assert(seen->has_histogram);
    cr_assert_eq(seen->histogram.min, -5);
    cr_assert_eq(seen->histogram.max, 2);
    cr_assert_eq(seen->histogram.count, 4);
    cr_assert_eq(seen->histogram.sum, 0);
    cr_assert_eq(seen->histogram.sum_squares, 34);
    cr_assert_eq(seen->histogram.limits.size, 8 * h.bucket_count);
    for (size_t i = 0; i < h.bucket_count; i++) {
        cr_assert_eq(event_double(seen->histogram.limits, i), h.limits[i]);
        cr_assert_eq(event_double(seen->histogram.counts, i), h.counts[i]);
    }
    release(&list);
}

TEST(event_message, holds_texts_of_any_size)
{
    static char text[70000];
    for (size_t size = 0; size < sizeof text; size = size * 3 + 1) {
        memset(text, 'x', size);
        text[size] = '\0';
        begin_event(1);
        vv_event_text(&b, "notes", text);
        struct event_list list = end_event();
        struct event_value *seen = &list.events[0].values[0];
        cr_assert(event_bytes_are(seen->tag, "notes"));
        cr_assert(event_bytes_are(seen->plugin, "text"));
        cr_assert_eq(seen->data_class, 2);
        cr_assert_eq(seen->dtype, 7);
        cr_assert(seen->has_shape);
        cr_assert(event_bytes_are(seen->text, text));
        release(&list);
    }
}

static void encode(const struct vv_event_image *image, struct vv_buffer *to)
{
    vv_buffer_add(to, image->pixels, image->width);
}

TEST(event_message, holds_given_and_encoded_images)
{
    for (int ready = 0; ready < 2; ready++) {
        struct vv_event_image image = { .width = 5,
            .height = 6,
            .channels = 3,
            .png = ready ? "abcde" : NULL,
            .size = 5,
            .encode = encode,
            .pixels = "abcde" };
        begin_event(1);
        vv_event_image(&b, "i", &image);
        struct event_list list = end_event();
        struct event_value *seen = &list.events[0].values[0];
        cr_assert(seen->has_image);
        cr_assert_eq(seen->image.width, 5);
        cr_assert_eq(seen->image.height, 6);
        cr_assert_eq(seen->image.channels, 3);
        cr_assert(event_bytes_are(seen->image.png, "abcde"));
        release(&list);
    }
}

TEST(event_message, is_one_of_many_records)
{
    vv_buffer_init(&b, test_allocator());
    for (int i = 0; i < 100; i++) {
        begin = vv_record_begin(&b);
        vv_event_header(&b, i, i);
        vv_event_scalar(&b, "x", i);
        vv_event_scalar(&b, "y", -i);
        vv_record_end(&b, begin);
    }
    struct event_list list = event_read(b.data, b.size);
    cr_assert_eq(list.count, 100);
    cr_assert_eq(list.events[99].values[1].scalar, -99);
    release(&list);
}

/* Checks that the reader used by the tests detects errors. */
TEST(event_message, is_detected_as_damaged_for_every_flipped_bit)
{
    begin_event(3);
    vv_event_scalar(&b, "x", 1);
    struct event_list list = end_event();
    event_list_free(&list);
    for (size_t bit = 0; bit < 8 * b.size; bit++) {
        b.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        list = event_read(b.data, b.size);
        cr_assert(list.fault && list.count == 0, "bit %zu", bit);
        event_list_free(&list);
        b.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t size = 1; size < b.size; size++) {
        list = event_read(b.data, size);
        cr_assert(list.is_cut && !list.fault && list.count == 0);
        event_list_free(&list);
    }
    vv_buffer_clear(&b);
}

static void make_everything(void)
{
    static struct vv_histogram h;
    struct vv_event_image image = {
        .width = 5, .encode = encode, .pixels = "abcde"
    };
    vv_histogram_of_floats(&h, NULL, 0);
    begin_event(1);
    vv_event_histogram(&b, "h", &h);
    vv_event_image(&b, "i", &image);
    vv_event_text(&b, "t", "text");
    vv_event_scalar(&b, "s", 1);
    vv_record_end(&b, begin);
}

TEST(event_message, reports_failed_allocations)
{
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        make_everything();
        bool is_enough = test_allocation_count() <= n;
        test_fail_allocation(-1, false);
        cr_assert_eq(b.failed, !is_enough);
        vv_buffer_clear(&b);
        if (is_enough)
            return;
    }
}
