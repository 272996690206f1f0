"""counts.py - Tests the number of requests of a manager's save.

SPDX-License-Identifier: MIT
"""
import os
import subprocess

import bucket
from base import WRITER, path_of, read, surroundings
from writes import Store

DIRECTORY = 's3://bucket/run'
MOST_MORE = 2


class Requests(Store):
    def setUp(self):
        super().setUp()
        self.store.page = 1000

    def checkpoints(self, count):
        """Stores that many checkpoints of a manager."""
        directory = path_of(f'kept-{count}')
        lines = self.writer('steps', directory, str(count))
        self.assertEqual(lines, ['VARVE_OK '] * count)
        for name in os.listdir(directory):
            if not name.startswith('.'):
                self.store.files[f'/bucket/run/{name}'] = bucket.Content(
                    read(os.path.join(directory, name)))

    def saves(self, count):
        """Returns the number of requests of each save of a manager."""
        counts = []
        with subprocess.Popen(
                [WRITER, 'steps', DIRECTORY, str(count)], text=True,
                env=surroundings(PROBE_STEPPED='1', **self.aws),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for _ in range(count):
                before = len(self.store.seen)
                process.stdin.write('\n')
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), 'VARVE_OK \n')
                counts.append(len(self.store.seen) - before)
        self.assertEqual(process.returncode, 0)
        return counts

    def test_of_a_save_do_not_depend_on_the_number_of_checkpoints(self):
        counts = {}
        for kept in (5, 50, 500):
            self.store.files.clear()
            self.checkpoints(kept)
            counts[kept] = self.saves(4)[1:]  # the first one reads all files
        print('remote: requests of each save by number of checkpoints:', counts)
        for each in counts.values():
            self.assertLessEqual(max(each), min(counts[5]) + MOST_MORE, counts)
