/* target_onnx.c - Fuzzes ONNX models.
 *
 * An input that begins with a version is used as a model. Any other input is a
 * graph, which is embedded in a model.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/places.h"

enum { IR_VERSION_KEY = 0x08, MOST_AROUND = 32 };

static void run_graph(const uint8_t *graph, size_t size)
{
    static const uint8_t head[] = { IR_VERSION_KEY, 10, 0x3a };
    static const uint8_t tail[] = { 0x42, 2, 0x10, 21 };
    uint8_t around[MOST_AROUND];
    size_t before = sizeof head;
    memcpy(around, head, sizeof head);
    for (size_t rest = size;; rest >>= 7) {
        around[before++] = (uint8_t)(rest > 127 ? rest | 128 : rest);
        if (rest <= 127)
            break;
    }
    size_t all = before + size + sizeof tail;
    /* allocated exactly, so that reads past the end are detected */
    uint8_t *model = malloc(all);
    memcpy(model, around, before);
    memcpy(model + before, graph, size);
    memcpy(model + before + size, tail, sizeof tail);
    places_run(model, all);
    free(model);
}

void fuzz_onnx(const uint8_t *bytes, size_t size)
{
    if (size == 0 || bytes[0] == IR_VERSION_KEY)
        places_run(bytes, size);
    else
        run_graph(bytes, size);
}
