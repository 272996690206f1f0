"""ranks.py - Defines what the collective tests do on each rank: they save and
restore a tree in which each rank has some rows.

SPDX-License-Identifier: MIT
"""
import os
import shutil

import numpy as np

import varve

SHAPE = (11, 3)


def rows_of(comm):
    """Returns the first row of this rank, and the first of the next rank."""
    return (SHAPE[0] * comm.rank // comm.size,
            SHAPE[0] * (comm.rank + 1) // comm.size)


def whole():
    return np.arange(33.0).reshape(SHAPE)


def tree_of(comm, is_filled):
    begin, end = rows_of(comm)
    table = whole()[begin:end] if is_filled else np.zeros((end - begin, 3))
    turned = np.zeros((3, end - begin))
    if is_filled:
        turned[...] = table.T
    return {'table': varve.Slice(table, SHAPE, (begin, 0)),
            'turned': varve.Slice(turned.T, SHAPE, (begin, 0)),
            'step': 7 if is_filled else 0,
            'names': np.array(['a', 'bcd' if is_filled else ''], 'U3')}


def save(comm, prefix):
    return varve.save(tree_of(comm, True), prefix, comm=comm,
                      metadata={'step': 7})


def restore(comm, prefix):
    tree = tree_of(comm, False)
    with varve.restore(tree, prefix, comm=comm) as restoration:
        with comm.together():
            restoration.assert_consumed()
    begin, end = rows_of(comm)
    for name in 'table', 'turned':
        np.testing.assert_array_equal(tree[name].array, whole()[begin:end])
    assert tree['step'] == 7 and tree['names'].tolist() == ['a', 'bcd']


def refuse(comm, prefix):
    """If one rank has an object that cannot be saved, all ranks fail."""
    tree = tree_of(comm, True)
    if comm.rank == comm.size - 1:
        tree['bad'] = object()
    for call in (lambda: varve.save(tree, prefix, comm=comm),
                 lambda: varve.restore(tree, prefix, comm=comm)):
        try:
            call()
            raise AssertionError('expected a refusal')
        except varve.MisuseError as error:
            assert f'rank {comm.size - 1}: bad: ' in error.message, error
    try:
        with comm.together():
            if comm.rank == 0:
                raise KeyError('own')
        raise AssertionError('expected a failure')
    except KeyError:
        assert comm.rank == 0
    except varve.StoppedError as error:
        assert comm.rank > 0 and "rank 0: 'own'" in error.message, error
    assert comm.any(comm.rank == 0) and not comm.any(False)


def manage(comm, directory):
    checkpoint = varve.Checkpoint(**tree_of(comm, True))
    with varve.Manager(checkpoint, directory, comm=comm, interval_steps=2,
                       keep_last=1) as manager:
        for step in range(1, 5):
            checkpoint.step = step
            manager.save(step, force=comm.rank == comm.size - 1 and step == 1)
        assert [managed.step for managed in manager.checkpoints] == [4]
    later = varve.Checkpoint(**tree_of(comm, False))
    with varve.Manager(later, directory, comm=comm) as manager:
        manager.resume()
    assert later.step == 4
    begin, end = rows_of(comm)
    np.testing.assert_array_equal(later.table.array, whole()[begin:end])


def lose_a_node(comm, place):
    """Gives each rank a node of its own, and loses the node of rank 1."""
    disk = f'{place}/node-{comm.rank}'
    options = {'comm': comm, 'keep_last': 1, 'redundancy': {
        'scheme': 'xor', 'domain': comm.rank + 1}}
    for step in 3, 4:
        checkpoint = varve.Checkpoint(w=np.full(5, 10.0 * comm.rank), step=step)
        with varve.Manager(checkpoint, disk, **options) as manager:
            manager.resume()
            checkpoint.step = step
            manager.save(step, force=True)
    if comm.rank == 1:
        shutil.rmtree(disk)
    later = varve.Checkpoint(w=np.zeros(5), step=0)
    with varve.Manager(later, disk, **options) as manager:
        manager.resume()
    assert later.step == 4 and (later.w == 10.0 * comm.rank).all()
    assert os.path.exists(f'{disk}/rank-{comm.rank}/ckpt-2.parity')
    for wrong, error in (({'scheme': 'raid'}, ValueError),
                         ({'parity': 1}, TypeError)):
        try:
            varve.Manager(later, disk, comm=comm, redundancy=wrong)
            raise AssertionError('expected a refusal')
        except error:
            pass


def everything(comm, place):
    restore(comm, save(comm, place + '/a'))
    refuse(comm, place + '/a')
    manage(comm, place + '/managed')
    lose_a_node(comm, place)
