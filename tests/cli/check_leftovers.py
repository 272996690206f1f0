#!/usr/bin/env python3
"""check_leftovers.py - Tests that an interrupted command leaves no temporary
files.

    check_leftovers.py VARVE

After SIGKILL the next command removes the leftover files. Files that another
process is still writing are kept. Missing directories are reported as errors.

SPDX-License-Identifier: MIT
"""
import os
import signal
import subprocess
import sys
import tempfile

from check_statistics import write_safetensors

SIZE = 48 << 20
varve = os.path.realpath(sys.argv[1])
convert = [varve, 'convert', 'big.safetensors']


def leftovers():
    """Returns hidden files and folders, and the content of such folders."""
    return sorted(os.path.join(folder, name)
                  for folder, names, files in os.walk('.')
                  for name in names + files
                  if name.startswith('.') or '/.' in folder)


def is_begun(known):
    """Returns true if there is a new temporary file with content, whose
    process has therefore taken its lock."""
    def has_content(name):
        try:
            return os.path.isfile(name) and os.path.getsize(name) > 0
        except FileNotFoundError:
            return False
    return any(map(has_content, set(leftovers()) - known))


def default_signals():
    """A shell or nohup may have set a signal to be ignored."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)


def caught(command, before=lambda: None, tries=20):
    """Starts the command and stops it (SIGSTOP) while it writes a temporary
    file."""
    def begin():
        default_signals()
        before()
    for _ in range(tries):
        known = set(leftovers())
        process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=begin)
        while process.poll() is None and not is_begun(known):
            pass
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid,
                  os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if process.poll() is None and is_begun(known):
            return process
        process.send_signal(signal.SIGCONT)
        process.communicate()
        for name in command[3:]:
            if os.path.exists(name):
                os.remove(name)
    raise AssertionError(f'{command} is too fast')


def end_by(process, number):
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=60)
    return process.returncode


def removes_what_is_half_written():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        for command in convert + ['out.varve'], \
                [varve, 'repair', 'big.safetensors', '-o', 'out.npz'], \
                [varve, 'repack', 'big.varve', '-o', 'out.varve'], \
                [varve, 'cat', 'big.safetensors', 'big', '-o', 'out.bin']:
            code = end_by(caught(command), number)
            assert code == -number, (command, number, code)
            assert not leftovers(), (command, number, leftovers())
            assert not os.path.exists(command[-1]), (command, number)


def goes_on_where_a_signal_is_ignored():
    process = caught(convert + ['out.varve'],
                     lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert end_by(process, signal.SIGHUP) == 0
    assert not leftovers() and os.path.exists('out.varve')
    os.remove('out.varve')


def sweeps_after_a_kill():
    for first, second in (
            (convert + ['out.varve'], convert + ['other.npz']),
            ([varve, 'repack', 'big.varve', '-o', 'out.varve'],
             convert + ['out.varve']),
            ([varve, 'cat', 'big.safetensors', 'big', '-o', 'out.bin'],
             [varve, 'cat', 'small.safetensors', 'one', '-o', 'out.bin'])):
        assert end_by(caught(first), signal.SIGKILL) == -signal.SIGKILL
        assert leftovers(), first
        subprocess.run(second, check=True, stdout=subprocess.DEVNULL)
        assert not leftovers(), (first, second, leftovers())
        os.remove(second[-1])


def spares_what_is_alive():
    for first, second in (
            (convert + ['out.varve'], convert + ['other.npz']),
            ([varve, 'cat', 'big.safetensors', 'big', '-o', 'out.bin'],
             [varve, 'cat', 'small.safetensors', 'one', '-o', 'out.bin'])):
        process = caught(first)
        living = leftovers()
        subprocess.run(second, check=True, stdout=subprocess.DEVNULL)
        assert leftovers() == living, (first, living, leftovers())
        assert end_by(process, signal.SIGCONT) == 0, first
        assert not leftovers(), (first, leftovers())
        assert os.path.getsize(first[-1]) > SIZE - 1, first
        for name in {first[-1], second[-1]}:
            os.remove(name)


def spares_what_others_made():
    """Names that only look similar, a link, and a folder that is in use."""
    os.mkdir('.varve-convert-')
    os.mkdir('elsewhere')
    open('elsewhere/kept', 'w').close()
    os.symlink('elsewhere', '.varve-convert-linked')
    open('.out.varve.varve-1x', 'w').close()
    before = leftovers()
    subprocess.run([varve, 'convert', 'small.safetensors', 'out.varve'],
                   check=True, stdout=subprocess.DEVNULL)
    assert leftovers() == before and os.path.exists('elsewhere/kept')
    os.rmdir('.varve-convert-')
    for name in ('.varve-convert-linked', '.out.varve.varve-1x', 'out.varve'):
        os.remove(name)


def refuses_directories_that_are_not_there():
    """--parents creates them, and nothing is created without it."""
    for command in ([varve, 'convert', 'small.safetensors', 'a/b/o.varve'],
                    [varve, 'repair', 'small.safetensors', '-o', 'a/b/o.npz'],
                    [varve, 'repack', 'small.varve', '-o', 'a/b/o.varve'],
                    [varve, 'cat', 'small.safetensors', 'one', '-o', 'a/b/o'],
                    [varve, 'graph', 'small.varve', '-o', 'a/b/o.txt'],
                    [varve, 'graph', '--html', 'small.varve', '-o', 'a/b/o'],
                    [varve, 'plan', 'small.varve', '--into', 'small.varve',
                     '--write-map', 'a/b/map']):
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 3, (command, run)
        assert "there is no directory 'a/b/'" in run.stderr, (command, run)
        assert '--parents' in run.stderr and not os.path.exists('a'), command
        run = subprocess.run(command + ['--parents'], capture_output=True)
        assert run.returncode == 0 and os.path.exists(command[-1]), run
        os.remove(command[-1])
        os.removedirs('a/b')


def main():
    write_safetensors('big.safetensors', [('big', 'uint8', [SIZE],
                                           os.urandom(1 << 20) * 48)])
    write_safetensors('small.safetensors', [('one', 'uint8', [3], b'abc')])
    for name in 'big', 'small':
        subprocess.run([varve, 'convert', name + '.safetensors',
                        name + '.varve'], check=True,
                       stdout=subprocess.DEVNULL)
    removes_what_is_half_written()
    goes_on_where_a_signal_is_ignored()
    sweeps_after_a_kill()
    spares_what_is_alive()
    spares_what_others_made()
    refuses_directories_that_are_not_there()


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    main()
    os.chdir('/')
