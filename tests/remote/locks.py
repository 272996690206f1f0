"""locks.py - Tests locks in stores: several owners, some of which are killed,
and stores that do not support locks.

SPDX-License-Identifier: MIT
"""
import subprocess
import time

import bucket
from base import LOCKER, WRITER, surroundings
from writes import Store

FILE = '/bucket/run/.ckpt.lock'
PERIOD = 0.3
TERM = 4 * PERIOD
LONGEST = TERM + 3  # dates of a store are in whole seconds


class Owner:
    """A process that takes and releases the lock on command."""
    def __init__(self, environment, period=PERIOD):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [LOCKER, 's3:/' + FILE, str(int(1000 * period))], text=True,
            env=surroundings(**environment), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def tell(self, word):
        self.process.stdin.write(word + '\n')
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().strip()

    def does(self, word):
        self.tell(word)
        return self.hear()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Locks(Store):
    def owner(self, **more):
        owner = Owner(self.aws, **more)
        self.addCleanup(owner.kill)
        return owner

    def record(self):
        lines = self.store.files[FILE].data.decode().splitlines()
        self.assertEqual(lines.pop(0), 'varve lock 1')
        return dict(line.split(' ', 1) for line in lines)

    def is_refused(self, line, owner):
        self.says(line, 'VARVE_EXISTS',
                  '/.ckpt.lock: taking the lock failed: ',
                  f'process {owner.process.pid} on ', ', run run-7, ',
                  ' since ')

    def asked(self, method):
        return sum(line.startswith(method) for line, _ in self.store.seen)

    def test_an_owner_renews_its_lock(self):
        one = self.owner()
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.assertEqual([line.split()[0] for line, _ in self.store.seen],
                         ['GET', 'PUT', 'PUT', 'PUT'])
        found = self.record()
        self.assertEqual(found['state'], 'held')
        self.assertEqual(found['run'], 'run-7')
        self.assertEqual(found['pid'], str(one.process.pid))
        self.assertEqual(found['term_ms'], str(int(1000 * TERM)))
        time.sleep(TERM + 2)
        self.assertGreater(int(self.record()['renewal']),
                           int(found['renewal']) + 3)
        self.assertEqual(self.record()['token'], found['token'])
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.assertEqual(self.asked('GET'), 1)
        self.assertEqual(self.store.refused, [])

    def test_a_held_lock_excludes_others_until_released(self):
        one, two = self.owner(), self.owner()
        self.assertEqual(one.does('take'), 'VARVE_OK')
        begin = time.monotonic()
        for _ in range(2):
            self.is_refused(two.does('take'), one)
        self.assertLess(time.monotonic() - begin, LONGEST)
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.assertEqual(one.does('free'), 'freed')
        self.assertEqual(self.record()['state'], 'free')
        begin = time.monotonic()
        self.assertEqual(two.does('take'), 'VARVE_OK')
        self.assertLess(time.monotonic() - begin, PERIOD)
        self.is_refused(one.does('take'), two)

    def test_the_lock_of_a_killed_owner_expires(self):
        one, two = self.owner(), self.owner()
        self.assertEqual(one.does('take'), 'VARVE_OK')
        one.process.kill()
        begin = time.monotonic()
        self.assertEqual(two.does('take'), 'VARVE_OK')
        self.assertLess(time.monotonic() - begin, LONGEST)
        self.assertEqual(self.record()['pid'], str(two.process.pid))

    def test_a_lock_expires_without_dates_of_the_store(self):
        """Also with wrong dates: the waiting process uses its own clock."""
        for date in ('', 'Fri, 01 Oct 2100 10:00:00 GMT'):
            self.store.files.clear()
            one, two = self.owner(), self.owner()
            self.assertEqual(one.does('take'), 'VARVE_OK')
            one.kill()
            self.store.files[FILE].date = date
            begin = time.monotonic()
            self.assertEqual(two.does('take'), 'VARVE_OK')
            self.assertGreater(time.monotonic() - begin, TERM)

    def expire(self):
        self.store.files[FILE].date = 'Thu, 01 Oct 2026 10:00:00 GMT'

    def test_only_one_of_many_takes_an_expired_lock(self):
        first = self.owner()
        self.assertEqual(first.does('take'), 'VARVE_OK')
        first.kill()
        self.expire()
        owners = [self.owner() for _ in range(6)]
        for owner in owners:
            owner.tell('take')
        lines = [owner.hear() for owner in owners]
        self.assertEqual(lines.count('VARVE_OK'), 1, lines)
        winner = owners[lines.index('VARVE_OK')]
        for line in lines:
            if line != 'VARVE_OK':
                self.is_refused(line, winner)

    def test_only_one_of_many_takes_a_free_lock(self):
        owners = [self.owner() for _ in range(6)]
        for owner in owners:
            owner.tell('take')
        lines = [owner.hear() for owner in owners]
        self.assertEqual(lines.count('VARVE_OK'), 1, lines)

    def test_an_owner_that_renews_too_late_loses_its_lock(self):
        """The owner was suspended, so its next save fails."""
        one, two = self.owner(period=1), self.owner(period=1)
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.expire()
        self.assertEqual(two.does('take'), 'VARVE_OK')
        time.sleep(2)  # until a renewal has failed
        self.is_refused(one.does('take'), two)
        self.assertEqual(two.does('take'), 'VARVE_OK')

    def test_an_owner_that_lost_its_lock_does_not_take_it_again(self):
        """Also if the other owner has released the lock: a save would
        overwrite its files."""
        one, two = self.owner(period=1), self.owner(period=1)
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.expire()
        self.assertEqual(two.does('take'), 'VARVE_OK')
        self.assertEqual(two.does('free'), 'freed')
        time.sleep(2)
        for _ in range(2):
            self.says(one.does('take'), 'VARVE_EXISTS',
                      'another manager has taken the lock in the meantime,')
        self.assertEqual(one.does('free'), 'freed')
        self.assertEqual(self.owner().does('take'), 'VARVE_OK')

    def test_an_owner_takes_a_deleted_lock_again(self):
        one = self.owner()
        self.assertEqual(one.does('take'), 'VARVE_OK')
        del self.store.files[FILE]
        time.sleep(3 * PERIOD)
        self.assertNotIn(FILE, self.store.files)
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.assertEqual(self.record()['pid'], str(one.process.pid))

    def test_a_child_process_does_not_hold_the_lock(self):
        one, two = self.owner(), self.owner()
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.says(one.does('fork'), 'VARVE_EXISTS',
                  'the parent of this forked process holds the lock')
        self.is_refused(two.does('take'), one)
        self.assertEqual(one.does('take'), 'VARVE_OK')

    def test_stores_without_conditional_writes_have_no_locks(self):
        for name in ('has_conditions', 'has_matches'):
            for answer in (False, None):
                setattr(self.rules, name, answer)
                one = self.owner()
                self.assertEqual(one.does('take'), 'missing')
                self.assertEqual(self.store.files, {})
                before = len(self.store.seen)
                self.assertEqual(one.does('take'), 'missing')
                time.sleep(2 * PERIOD)
                self.assertEqual(len(self.store.seen), before)
                setattr(self.rules, name, True)

    def test_stores_without_etags_have_no_locks(self):
        self.store.has_tags = False
        self.store.files[FILE] = bucket.Content(b'?')
        self.assertEqual(self.owner().does('take'), 'missing')
        self.assertIn(FILE, self.store.files)

    def test_another_object_at_the_lock_path_is_an_error(self):
        for data in (b'', b'varve lock 2\n', b'?' * 10000):
            self.store.files[FILE] = bucket.Content(data)
            self.says(self.owner().does('take'), 'VARVE_IO',
                      'the object is not a manager lock')
            self.assertEqual(self.store.files[FILE].data, data)

    def test_denied_access_is_reported(self):
        self.rules.refuses = (403, 'AccessDenied')
        self.says(self.owner().does('take'), 'VARVE_NO_PERMISSION',
                  'access denied (')

    def test_an_unreachable_store_fails_the_lock(self):
        """The lock is neither taken nor missing at first; later it is
        available."""
        one = self.owner()
        self.rules.always = '500'
        self.says(one.does('take'), 'VARVE_IO', 'in each of 4 attempts')
        self.rules.always = None
        self.assertEqual(one.does('take'), 'VARVE_OK')
        self.rules.always = '500'
        time.sleep(TERM)
        self.says(one.does('take'), 'VARVE_IO')
        self.rules.always = None
        self.assertEqual(one.does('take'), 'VARVE_OK')

    def test_a_lost_answer_does_not_lose_the_lock(self):
        """If the answer is lost, the owner recognizes its own lock."""
        for kind in ('after', 'cut', 'late 500', 'before', 'half'):
            self.store.files.clear()
            one, two = self.owner(), self.owner()
            self.rules.rate, self.rules.kinds = 0.4, (kind,)
            line = one.does('take')
            while line != 'VARVE_OK':
                self.says(line, 'VARVE_IO')
                line = one.does('take')
            time.sleep(TERM)
            self.rules.rate = 0
            self.assertEqual(one.does('take'), 'VARVE_OK')
            self.is_refused(two.does('take'), one)
            one.kill()
            two.kill()

    def test_two_owners_never_hold_the_lock(self):
        """With any faults of the requests of all owners."""
        owners = [self.owner() for _ in range(3)]
        taken = 0
        for i in range(30):
            self.rules.rate = 0.2
            one = owners[i % 3]
            if one.does('take') != 'VARVE_OK':
                continue
            taken += 1
            self.assertEqual(self.record()['pid'], str(one.process.pid))
            other = owners[(i + 1) % 3]
            self.assertNotEqual(other.does('take'), 'VARVE_OK')
            self.rules.rate = 0
            self.assertEqual(one.does('take'), 'VARVE_OK')
            self.assertEqual(one.does('free'), 'freed')
        self.assertGreater(taken, 15)
        self.assertGreater(sum(self.rules.faults.values()), 10)


class ManagerLocks(Store):
    """The same with managers, with their default period."""
    def manager(self):
        # pylint: disable=consider-using-with
        process = subprocess.Popen(
            [WRITER, 'steps', 's3://bucket/run', '100'], text=True,
            env=surroundings(PROBE_STEPPED='1', **self.aws),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    @staticmethod
    def save(process):
        process.stdin.write('\n')
        process.stdin.flush()
        return process.stdout.readline().strip()

    def test_a_second_manager_of_a_prefix_is_refused(self):
        one = self.manager()
        self.assertEqual(self.save(one), 'VARVE_OK')
        record = self.store.files[FILE].data.decode()
        self.assertIn(f'\npid {one.pid}\n', record)
        line, = self.writer('steps', 's3://bucket/run', '1')
        self.says(line, 'VARVE_EXISTS', f'process {one.pid} on ')
        self.assertEqual(self.save(one), 'VARVE_OK')

    def test_a_manager_releases_its_lock_at_its_end(self):
        for _ in range(2):
            one = self.manager()
            self.assertEqual(self.save(one), 'VARVE_OK')
            one.stdin.close()
            self.assertEqual(one.wait(), 0)
            self.assertIn(b'\nstate free\n', self.store.files[FILE].data)

    def test_the_lock_of_a_killed_run_expires(self):
        one = self.manager()
        self.assertEqual(self.save(one), 'VARVE_OK')
        one.kill()
        self.store.files[FILE].date = 'Thu, 01 Oct 2026 10:00:00 GMT'
        self.assertEqual(self.save(self.manager()), 'VARVE_OK')
