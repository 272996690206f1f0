#!/usr/bin/env python3
"""tensorboard_reads.py - Reads the files of record.c with TensorBoard's own
reader.

    tests/events/tensorboard_reads.py RECORD
    tests/events/tensorboard_reads.py --install DIRECTORY

Checks every scalar, histogram, image and text with TensorBoard's own loader,
and that events superseded by a restore are not shown. Uses the running Python
if it has TensorBoard, else the virtual environment in VARVE_TENSORBOARD;
skipped if neither has it. --install creates such an environment from PyPI.

SPDX-License-Identifier: MIT
"""
import io
import os
import subprocess
import sys
import tempfile

SKIP = 77
NAME = 'tensorboard_reads'


def install(directory):
    subprocess.run([sys.executable, '-m', 'venv', directory], check=True)
    subprocess.run([os.path.join(directory, 'bin', 'python'), '-m', 'pip',
                    'install', '--quiet', 'tensorboard', 'pillow'], check=True)
    print(f'{NAME}: now set VARVE_TENSORBOARD={directory}')
    return 0


def skip_or_try_elsewhere(reason):
    """Restarts with the Python of the environment, at most once."""
    directory = os.environ.pop('VARVE_TENSORBOARD', None)
    if directory:
        python = os.path.join(directory, 'bin', 'python')
        if os.access(python, os.X_OK):
            os.execv(python, [python, '-B'] + sys.argv)
        reason = f'{python} does not exist'
    print(f'{NAME}: skipped, {reason}; --install makes an environment for '
          'VARVE_TENSORBOARD')
    sys.exit(SKIP)


def demand(holds, what):
    if not holds:
        sys.exit(f'{NAME}: {what}')


def is_near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def check_scalars(run):
    """Checks that there are ten steps of the first process, ten of the
    second, and no duplicates."""
    scalars = run.Scalars('train/loss')
    demand([s.step for s in scalars] == list(range(1, 21)),
           f'expected steps 1 to 20 once, found {[s.step for s in scalars]}')
    for s in scalars:
        expected = 1 / s.step + (100 if s.step > 10 else 0)
        demand(is_near(s.value, expected), f'step {s.step}: {s.value}')
        demand(s.wall_time > 1.6e9, f'time {s.wall_time}')
    print(f'{NAME}: {len(scalars)} scalars, 5 superseded ones dropped')


def check_histogram(run):
    found = run.Histograms('weights')
    demand(len(found) == 1 and found[0].step == 3, f'{len(found)} histograms')
    h = found[0].histogram_value
    numbers = [(i - 500) / 100 for i in range(1, 1000)]
    demand(h.num == 999 and is_near(h.min, -4.99) and is_near(h.max, 4.99),
           f'histogram: num {h.num}, min {h.min}, max {h.max}')
    demand(abs(h.sum - sum(numbers)) < 1e-3 and
           is_near(h.sum_squares, sum(n * n for n in numbers)),
           f'histogram: sum {h.sum}, sum of squares {h.sum_squares}')
    left = float('-inf')
    for limit, count in zip(h.bucket_limit, h.bucket):
        # The limits are between hundredths of the numbers, never on one.
        expected = sum(left <= n < limit for n in numbers)
        demand(abs(count - expected) <= 1, f'bucket below {limit}: {count}')
        left = limit
    demand(sum(h.bucket) == 999, 'the sum of the buckets is wrong')
    demand(run.Scalars('weights/not_finite')[0].value == 1, 'no NaN counted')
    print(f'{NAME}: a histogram of {h.num:.0f} in {len(h.bucket)} buckets')


def check_images(run):
    from PIL import Image
    modes = {1: 'L', 3: 'RGB', 4: 'RGBA'}
    for channels, mode in modes.items():
        found = run.Images(f'image/{channels}')
        demand(len(found) == 1, f'{len(found)} images of {channels} channels')
        demand((found[0].width, found[0].height) == (300, 200), 'its size')
        picture = Image.open(io.BytesIO(found[0].encoded_image_string))
        demand(picture.size == (300, 200) and picture.mode == mode,
               f'{channels}: {picture.size} {picture.mode}')
        pixels = bytes(i * 7 % 251 for i in range(300 * 200 * channels))
        demand(picture.tobytes() == pixels, f'{channels}: pixels differ')
    print(f'{NAME}: {len(modes)} images with equal pixels')


def check_text(run):
    demand(list(run.PluginTagToContent('text')) == ['notes'], 'no text')
    tensor = run.Tensors('notes')[0].tensor_proto
    text = tensor.string_val[0].decode()
    demand(text == '**bold** and \u00e4\n\n- item', f'text: {text!r}')
    print(f'{NAME}: a text')


def check_new_style(directory, loader):
    """Checks that the loader of the server accepts the same files."""
    kinds = {}
    for name in sorted(os.listdir(directory)):
        if 'tfevents' not in name:
            continue
        for event in loader.EventFileLoader(
                os.path.join(directory, name)).Load():
            for value in event.summary.value:
                plugin = value.metadata.plugin_data.plugin_name
                kinds[plugin] = kinds.get(plugin, 0) + 1
    expected = {'scalars': 26, 'histograms': 1, 'images': 3, 'text': 1}
    demand(kinds == expected, f'expected {expected}, found {kinds}')
    print(f'{NAME}: {sum(kinds.values())} values for the server')


def main(arguments):
    if arguments[0] == '--install':
        return install(arguments[1])
    try:
        from tensorboard import version
        from tensorboard.backend.event_processing import event_accumulator
        from tensorboard.backend.event_processing import event_file_loader
        import PIL.Image  # noqa: F401
    except ImportError as error:
        skip_or_try_elsewhere(f'{error}')
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([arguments[0], directory], check=True,
                       stdout=subprocess.DEVNULL)
        run = event_accumulator.EventAccumulator(
            directory, size_guidance={'scalars': 0, 'histograms': 0,
                                      'images': 0, 'tensors': 0})
        run.Reload()
        check_scalars(run)
        check_histogram(run)
        check_images(run)
        check_text(run)
        check_new_style(directory, event_file_loader)
    print(f'{NAME}: TensorBoard {version.VERSION} reads all of it')
    return 0


sys.exit(main(sys.argv[1:]))
