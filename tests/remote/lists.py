"""lists.py - Tests the use of bucket listings, and how many requests they
save.

SPDX-License-Identifier: MIT
"""
import bucket
from base import LISTED, Remote, run

RUN = '/bucket/run/'


class Lists(Remote):
    def setUp(self):
        super().setUp()
        self.aws = self.bucket()

    def listed(self, directory='s3://bucket/run'):
        done = run(LISTED, directory, **self.aws)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return dict(line.rsplit(': ', 1) for line in done.stdout.splitlines())

    def expected(self, **others):
        """Expected line for each name; that of ckpt-2.varve is the
        argument."""
        names = {path.removeprefix(RUN): f'same {len(content.data)}'
                 for path, content in self.store.files.items()
                 if path.startswith(RUN)}
        names['deep'] = 'directory'
        return {name: others.get('ckpt_2', said)
                if name == 'ckpt-2.varve' else said
                for name, said in names.items() if '/' not in name}

    def test_match_the_metadata_of_each_file(self):
        """Pages of one or more names, with XML elements in any order."""
        for number in range(20, 40):
            self.store.files[f'{RUN}ckpt-{number}.varve'] = bucket.Content(
                bytes(number))
        for page in (1, 3, 7, 1000):
            self.store.page = page
            self.assertEqual(self.listed(), self.expected())
        self.assertEqual(self.listed('s3://bucket/none'), {})
        self.assertEqual(self.store.refused, [])

    def change(self, element, text):
        self.store.listed = {RUN + 'ckpt-2.varve': {element: text}}

    def test_with_an_invalid_element_give_no_metadata(self):
        for element, text in (
                ('Size', None), ('ETag', None), ('LastModified', None),
                ('Size', '-1'), ('Size', ''), ('ETag', ''),
                ('LastModified', 'Thu, 01 Oct 2026 10:00:00 GMT')):
            self.change(element, text)
            self.assertEqual(self.listed(), self.expected(ckpt_2='unlisted'))

    def test_out_of_date_differ_from_the_file(self):
        size = len(self.store.files[RUN + 'ckpt-2.varve'].data)
        for element, text, said in (
                ('Size', '1', 'other 1'), ('ETag', '"0"', f'other {size}'),
                ('LastModified', '2026-10-01T10:00:01.000Z',
                 f'other {size}')):
            self.change(element, text)
            self.assertEqual(self.listed(), self.expected(ckpt_2=said))

    def test_without_tags_give_no_metadata(self):
        self.store.has_tags = False
        self.assertEqual(set(self.listed().values()),
                         {'unlisted', 'directory'})
