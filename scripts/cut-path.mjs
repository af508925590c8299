// A path of its own to a TCP server on the loopback, for trials that cut it off from one client only: `silent` (nothing comes through and
// nothing is refused; what was under way arrives when it is mended) or `closed` (what is open is reset, and so is what is opened). They
// are in a process of their own, so that a trial that is busy slows down nothing.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** {port, cut(kind), mend()}; `target`: a port. */
async function openPath(target) {
  /** @type {'open' | 'silent' | 'closed'} */
  let state = 'open';
  /** Both ends of each connection; accepted while silent: without the far end. */
  const pairs = new Set();
  const join = (pair) => {
    const near = pair.near;
    const far = connect(target, '127.0.0.1');
    pair.far = far;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.setNoDelay(true);
      from.on('data', (part) => {
        if (!to.write(part)) from.pause();
      });
      to.on('drain', () => {
        if (state !== 'silent') from.resume();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => {});
    if (state === 'closed') return near.resetAndDestroy();
    const pair = { near };
    pairs.add(pair);
    near.once('close', () => pairs.delete(pair));
    if (state === 'silent') near.pause();
    else join(pair);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reset = () => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy();
      far?.resetAndDestroy();
    }
    pairs.clear();
  };
  return {
    port: server.address().port,
    cut(kind) {
      state = kind;
      if (kind === 'closed') return reset();
      for (const { near, far } of pairs) {
        near.pause();
        far?.pause();
      }
    },
    mend() {
      state = 'open';
      for (const pair of pairs) {
        if (pair.far === undefined) join(pair);
        pair.near.resume();
        pair.far.resume();
      }
    },
  };
}

/** {child, open(port)}: the process, and paths in it to servers on the loopback: {port, cut(kind), mend()}. */
export function startPaths() {
  const child = fork(import.meta.filename);
  return {
    child,
    async open(target) {
      child.send({ order: 'open', target });
      const [{ port }] = await once(child, 'message');
      return {
        port,
        cut: (kind) => child.send({ order: 'cut', port, kind }),
        mend: () => child.send({ order: 'mend', port }),
      };
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const paths = new Map();
  process.on('message', ({ order, target, port, kind }) => {
    if (order === 'cut') return paths.get(port).cut(kind);
    if (order === 'mend') return paths.get(port).mend();
    void openPath(target).then((path) => {
      paths.set(path.port, path);
      process.send({ port: path.port });
    });
  });
  process.on('disconnect', () => process.exit());
}
