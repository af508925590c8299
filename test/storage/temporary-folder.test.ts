// What a killed process left is taken away by the next one, and nothing else is.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Processes } from '../../src/storage/sqlite/folder-holder.ts';
import { openTemporaryFolder } from '../../src/storage/temporary-folder.ts';

const within = mkdtempSync(join(tmpdir(), 'voxgate-test-'));
afterEach(() => {
  rmSync(within, { recursive: true, force: true });
  mkdirSync(within);
});

/** A process of one machine on which those of `running` run, by their times of start. */
const processOf = (pid: number, running: Record<number, string>, space = 'here'): Processes => ({
  self: { pid, started: running[pid] ?? `start of ${pid}`, space },
  startOf: (id) => running[id],
});

describe('a temporary folder', () => {
  it('is taken away by its process', () => {
    const folder = openTemporaryFolder(within, processOf(1, { 1: 'a' }));
    expect(existsSync(join(folder.path, 'owner.json'))).toBe(true);
    folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });

  it('of a killed process is taken away by the next one', () => {
    const left = openTemporaryFolder(within, processOf(1, { 1: 'a' }));
    writeFileSync(join(left.path, '0.sock'), '');
    const reused = openTemporaryFolder(within, processOf(2, { 1: 'a', 2: 'b' }));
    expect(existsSync(left.path)).toBe(true);
    // 1 is gone, and 2 is the number of another process by now.
    openTemporaryFolder(within, processOf(3, { 2: 'c', 3: 'd' }));
    expect([left.path, reused.path].map((path) => existsSync(path))).toEqual([false, false]);
  });

  it('of a process that cannot be judged from here stays', () => {
    const elsewhere = openTemporaryFolder(within, processOf(1, { 1: 'a' }, 'another machine'));
    openTemporaryFolder(within, processOf(2, { 2: 'b' }));
    expect(existsSync(elsewhere.path)).toBe(true);
  });

  it('is no other that only has such a name', () => {
    const note = JSON.stringify({ pid: 1, started: 'a', space: 'here' });
    const make = (name: string, text: string | undefined) => {
      mkdirSync(join(within, name));
      if (text !== undefined) writeFileSync(join(within, name, 'owner.json'), text);
      return join(within, name);
    };
    const others = [
      make('voxgate-aaaaaa', undefined),
      make('voxgate-bbbbbb', 'not a note'),
      make('voxgate-cccccc', JSON.stringify({ pid: '1', started: 'a', space: 'here' })),
      make('voxgate-simulate-dddddd', note),
      make('other-eeeeee', note),
    ];
    const target = make('target', note);
    symlinkSync(target, join(within, 'voxgate-ffffff'));
    writeFileSync(join(within, 'voxgate-gggggg'), note);
    openTemporaryFolder(within, processOf(2, { 2: 'b' }));
    for (const path of [...others, target, join(within, 'voxgate-ffffff'), join(within, 'voxgate-gggggg')])
      expect(existsSync(path), path).toBe(true);
  });

  it('knows the processes of this machine', () => {
    const folder = openTemporaryFolder(within);
    openTemporaryFolder(within).remove();
    expect(existsSync(folder.path)).toBe(true);
  });
});
