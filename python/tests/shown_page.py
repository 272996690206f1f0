"""shown_page.py - Contains the programs in docs/python.md, for test_shown.py.

SPDX-License-Identifier: MIT
"""
# [write]
import numpy as np
import varve

tree = {
    'layers': [{'kernel': np.ones((784, 10), 'f4'), 'bias': np.zeros(10)}],
    'name': 'net',
    'step': 7,
}
varve.write(tree, 'run/net.varve', metadata={'step': 7})
found = varve.load('run/net.varve')
print(found['layers'][0]['kernel'].shape, found['name'], found['step'])
# [/write]

# [open]
with varve.open('run/net.varve') as file:
    for path, node in file.items():
        print(path, node.type, node.shape)
    kernel = file['layers/0/kernel']
    rows = kernel[100:110, :3]     # only this part is read, and checked
    everything = kernel.read()     # an array of its own, checked
    mapped = kernel.map()          # the file's pages: neither read nor checked
    file.verify()                  # every byte; DamagedError if one is not good
# [/open]
print(rows.shape, everything.shape, mapped.flags.writeable)

# [restore]
wanted = {
    'layers': [{'kernel': np.zeros((784, 10), 'f4'), 'bias': np.zeros(10)}],
    'epoch': 0,
}
with varve.restore(wanted, 'run/net.varve',
                   renames={'epoch': 'step'}) as restoration:
    print(restoration.report())
    restoration.assert_existing_objects_matched()
# [/restore]

try:
    varve.restore({'name': np.zeros(3)}, 'run/net.varve')
except varve.MismatchError as error:
    print(error.status.name, error.message)


# [objects]
class Layer(varve.Tracked):
    def __init__(self, inputs, outputs):
        self.kernel = np.zeros((inputs, outputs), 'f4')
        self.bias = np.zeros(outputs)


class Net(varve.Tracked):
    pass


net = Net()
checkpoint = varve.Checkpoint(net=net, step=0)
# '' is the root of the file, which has no 'net'
restoration = checkpoint.restore('run/net.varve', renames={'net': ''})
net.layers = [Layer(784, 10)]      # now there is something to fill
print(net.layers[0].kernel.sum(), checkpoint.step)
# [/objects]

# [run]
ckpt = varve.Checkpoint(w=np.zeros(4), step=0)
with varve.Run(ckpt, 'run/steps', interval_steps=10, keep_last=2,
               handle_signals=True) as run:
    for ckpt.step in run.steps(25):        # from where it was
        ckpt.w += 1 / ckpt.step
print(ckpt.step, ckpt.w)
# [/run]

with varve.Manager(checkpoint, 'run/managed', keep_last=3,
                   interval_seconds=0, background=True) as manager:
    manager.resume()               # the newest that is good, if there is one
    for checkpoint.step in range(checkpoint.step, 10):
        net.layers[0].bias += 1.0
        manager.save(checkpoint.step)
    manager.wait()
    print([managed.step for managed in manager.checkpoints])
