// The programs that a process has started, and what they cost, by the system's books.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { childrenOf, residentOfChildren } from '../../../bench/lab/process-tree.ts';

const BUSY =
  "const end = Date.now() + 200; while (Date.now() < end); console.log('busy'); setInterval(() => {}, 1000)";

describe.runIf(process.platform === 'linux')('childrenOf', () => {
  it('finds a child and its child, with what they have run and keep', async () => {
    const shell = spawn('sh', ['-c', `"${process.execPath}" -e "$BUSY" & wait`], {
      env: { ...process.env, BUSY },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      await once(shell.stdout!, 'data');
      const below = childrenOf(process.pid)!;
      const own = below.find(({ pid }) => pid === shell.pid)!;
      const grandchild = below.find(({ parent }) => parent === shell.pid)!;
      expect(own.parent).toBe(process.pid);
      expect(grandchild.cpuMs).toBeGreaterThanOrEqual(100);
      expect(grandchild.bytes).toBeGreaterThan(10 * 1024 * 1024);
      expect(residentOfChildren(process.pid)).toBeGreaterThan(10 * 1024 * 1024);
    } finally {
      process.kill(-shell.pid!, 'SIGKILL');
    }
    await vi.waitFor(
      () => expect(childrenOf(process.pid)!.some(({ parent }) => parent === shell.pid)).toBe(false),
      30_000,
    );
  });
});
