"""browser.py - Controls a headless Chromium through a pipe.

Uses only the standard library: the protocol is JSON messages terminated by NUL
on descriptors 3 (to the browser) and 4 (from it).

SPDX-License-Identifier: MIT
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')


def find():
    """Returns the path of the program, or None."""
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    """A tab. `problems` contains console errors, exceptions and violations of
    the content security policy; `requests` all requests."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix='varve-page-')
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        self.process = subprocess.Popen(
            ['sh', '-c', 'exec "$@" 3<&%d 4>&%d' % (to_read, from_write), 'sh',
             program, '--headless=new', '--no-sandbox', '--disable-gpu',
             '--no-first-run', '--disable-dev-shm-usage', '--hide-scrollbars',
             '--disable-background-networking', '--remote-debugging-pipe',
             f'--user-data-dir={self.folder}', 'about:blank'],
            pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.to, self.source, self.rest = to_write, from_read, b''
        self.count, self.session = 0, None
        self.problems, self.requests = [], []
        targets = self.call('Target.getTargets')['targetInfos']
        target = next(t for t in targets if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', flatten=True,
                                 targetId=target['targetId'])['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call('Browser.close')
        except (OSError, TimeoutError):
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, timeout=60, **arguments):
        self.count += 1
        message = {'id': self.count, 'method': method, 'params': arguments}
        if self.session:
            message['sessionId'] = self.session
        rest = json.dumps(message).encode() + b'\0'
        while rest:
            rest = rest[os.write(self.to, rest):]
        end = time.monotonic() + timeout
        while True:
            answer = self._next(end)
            if answer.get('id') == self.count:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            self._note(answer)

    def _next(self, end):
        while b'\0' not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                raise TimeoutError('the browser does not respond')
            piece = os.read(self.source, 1 << 20)
            if not piece:
                raise OSError('the browser has ended')
            self.rest += piece
        line, self.rest = self.rest.split(b'\0', 1)
        return json.loads(line)

    def _note(self, event):
        method, what = event.get('method'), event.get('params', {})
        if method == 'Runtime.exceptionThrown':
            details = what['exceptionDetails']
            self.problems.append(details.get('exception', {}).get(
                'description', details['text']))
        elif method == 'Log.entryAdded' and what['entry']['level'] == 'error':
            self.problems.append(what['entry']['text'])
        elif method == 'Runtime.consoleAPICalled' and what['type'] == 'error':
            self.problems.append(str(what['args']))
        elif method == 'Network.requestWillBeSent':
            self.requests.append(what['request']['url'])

    def size(self, width, height, scheme='light', mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width,
                  height=height, deviceScaleFactor=1, mobile=mobile)
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': scheme}])

    def open(self, path, fragment=''):
        """Opens a file and returns the seconds until it is drawn."""
        self.call('Page.navigate', url='about:blank')
        self.problems.clear()
        self.requests.clear()
        begin = time.monotonic()
        self.call('Page.navigate', url=f'file://{os.path.abspath(path)}'
                  + (f'#{fragment}' if fragment else ''))
        while not self.run('document.documentElement?.dataset.ready || 0'):
            if time.monotonic() - begin > 60:
                raise TimeoutError(f'{path} is not drawn: {self.problems}')
            time.sleep(0.01)
        return time.monotonic() - begin

    def run(self, script):
        """Returns the value of an expression or promise."""
        result = self.call('Runtime.evaluate', expression=script,
                           returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(f'{script}: {result["exceptionDetails"]}')
        return result['result'].get('value')

    def settle(self):
        """Waits until the page is drawn."""
        self.run('new Promise(f => requestAnimationFrame(() => '
                 'requestAnimationFrame(() => f(1))))')

    def picture(self, path):
        self.settle()
        data = self.call('Page.captureScreenshot', format='png')['data']
        with open(path, 'wb') as stream:
            stream.write(base64.b64decode(data))
