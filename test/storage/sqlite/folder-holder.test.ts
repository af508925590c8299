import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Holder,
  holdFolder,
  type Processes,
  systemProcesses,
} from '../../../src/storage/sqlite/folder-holder.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

let folder: string;
let clock: FakeClock;
beforeEach(() => {
  folder = scratchFolder('holder');
  clock = createFakeClock();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process of id 7 among those that run (id → start). */
const among = (running: Record<number, string>, self: Partial<Holder> = {}): Processes => ({
  self: { pid: 7, started: '700', space: 'here', ...self },
  startOf: (pid) => running[pid],
});
const hold = (processes: Processes) => holdFolder(folder, { clock, processes });
const path = () => join(folder, 'holder.json');
const left = (holder: Partial<Holder>) =>
  writeFileSync(path(), JSON.stringify({ pid: 5, started: '500', space: 'here', ...holder }));
/** Lets time pass until somebody who watches for a sign of life has seen enough, with such a sign or without. */
const watched = async (isBeating: 'beating' | 'silent') => {
  await clock.run(3_000);
  if (isBeating === 'beating') utimesSync(path(), 1, 1);
  await clock.run(4_000);
};

describe('a folder', () => {
  it('is held by one, until it is released', async () => {
    const first = await hold(among({ 7: '700' }));
    await expect(hold(among({ 7: '700' }))).rejects.toThrow(`${folder} is in use by process 7`);
    first.release();
    expect(existsSync(path())).toBe(false);
    (await hold(among({}))).release();
    expect(clock.timers).toBe(0);
  });

  it('is refused while the process that holds it runs', async () => {
    left({});
    await expect(hold(among({ 5: '500' }))).rejects.toThrow(`${folder} is in use by process 5`);
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ pid: 5 });
  });

  it.each([
    ['is gone', {}, {}],
    ['is gone and its id is another process now', { 5: '900' }, {}],
    ['is gone and its id is our own now', { 7: '700' }, { pid: 7, started: '100' }],
  ])('is free when the process that held it %s', async (_how, running, holder) => {
    left(holder);
    const held = await hold(among(running));
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject(among({}).self);
    expect(readdirSync(folder)).toEqual(['holder.json']);
    held.release();
  });

  it.each([
    ['elsewhere', () => left({ space: 'there' })],
    ['that nobody can name', () => writeFileSync(path(), '')],
    ['in words of another program', () => writeFileSync(path(), '{"pid":"5; rm","started":1}')],
  ])('is free when a holder %s gives no sign, and refused when it does', async (_what, leave) => {
    leave();
    const refused = expect(hold(among({ 5: '500' }))).rejects.toThrow(`${folder} is in use`);
    await watched('beating');
    await refused;
    const free = hold(among({ 5: '500' }));
    await watched('silent');
    (await free).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shows signs of life while it is held', async () => {
    const held = await hold(among({}));
    utimesSync(path(), 1, 1);
    await clock.run(2_000);
    await expect.poll(() => statSync(path()).mtimeMs).toBeGreaterThan(1_000);
    held.release();
    expect(clock.timers).toBe(0);
  });

  it('stays with whoever took it from a holder that slept, when that one wakes up and lets go', async () => {
    const asleep = await hold(among({}, { space: 'there' }));
    const other = among({ 5: '500' }, { pid: 5, started: '500' });
    rmSync(path());
    const taken = await hold(other);
    asleep.release();
    await expect(hold(among({ 5: '500' }))).rejects.toThrow(`${folder} is in use by process 5`);
    taken.release();
    expect(existsSync(path())).toBe(false);
  });

  it('tells what became of the one before, and tells the one that slept that it has lost it', async () => {
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const asleep = await holdFolder(folder, { clock: createFakeClock(), processes: among({}), onLost });
    expect([asleep.before, asleep.state()]).toEqual(['none', 'held']);
    const taking = hold(among({}, { space: 'there' }));
    await watched('silent');
    const taken = await taking;
    expect([taken.before, taken.state()]).toEqual(['silent', 'held']);
    expect([asleep.state(), asleep.state(), lost]).toEqual(['lost', 'lost', 1]);
    taken.release();
    expect(asleep.state()).toBe('lost');
    left({ pid: 6, started: '600' });
    const after = await hold(among({}));
    expect(after.before).toBe('dead');
    after.release();
  });

  it('gives no sign of life for whoever has taken it', async () => {
    const slept = createFakeClock();
    const asleep = await holdFolder(folder, { clock: slept, processes: among({}) });
    left({ space: 'there' });
    utimesSync(path(), 1, 1);
    await slept.run(10_000);
    expect(statSync(path()).mtimeMs).toBe(1_000);
    expect([asleep.state(), slept.timers]).toEqual(['lost', 0]);
  });

  it('is lost when its file stays away, and not known for a moment before', async () => {
    let lost = 0;
    const onLost = () => {
      lost += 1;
    };
    const held = await holdFolder(folder, { clock, processes: among({}), onLost });
    rmSync(path());
    expect(held.state()).toBe('unknown');
    await clock.run(2_000);
    expect([held.state(), lost]).toEqual(['unknown', 0]);
    await clock.run(2_000);
    expect([held.state(), lost, clock.timers]).toEqual(['lost', 1, 0]);
  });

  it('goes to one of those that come at once over a dead one', async () => {
    left({});
    const results = await Promise.allSettled(
      [1, 2, 3].map((pid) => hold(among({ 1: 's', 2: 's', 3: 's' }, { pid, started: 's' }))),
    );
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const { value } of won) value.release();
  });
});

describe('the processes of this system', () => {
  it('tell this one from one that is not there', () => {
    const { self, startOf } = systemProcesses();
    expect(self.pid).toBe(process.pid);
    expect(startOf(self.pid)).toBe(self.started);
    expect(systemProcesses().self).toEqual(self);
    expect(startOf(2 ** 30)).toBeUndefined();
  });
});
