import { describe, expect, it } from 'vitest';
import { storageError } from '../../../src/base/app-error.ts';
import { StorageWatch } from '../../../src/storage/works/storage-watch.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function open() {
  const clock = createFakeClock(0);
  const told: string[] = [];
  const looks: string[] = [];
  let disk: () => Promise<void> = async () => {};
  const tell = (event: string) => void told.push(event);
  const watch = new StorageWatch({
    probe: {
      async look(how) {
        looks.push(how);
        await disk();
      },
    },
    clock,
    log: { debug: tell, info: tell, warn: tell, error: tell },
  });
  return {
    ...{ clock, told, looks, watch },
    setDisk: (look: typeof disk) => {
      disk = look;
    },
  };
}
const noSpace = () => Object.assign(new Error('no'), { code: 'ENOSPC' });

describe('the watch of a disk', () => {
  it('finds out by itself that a disk is full, and that it has room again', async () => {
    const { watch, clock, told, looks, setDisk } = open();
    await watch.start();
    expect([watch.state(), looks]).toEqual(['ok', ['quick']]);
    setDisk(async () => {
      throw storageError('full');
    });
    await clock.run(10_000);
    expect(watch.state()).toBe('full');
    expect(() => watch.check()).toThrow(expect.objectContaining({ code: 'insufficient_storage' }) as Error);
    await clock.run(20_000);
    expect(told).toEqual(['storage_not_writable']);
    setDisk(async () => {});
    let room = 0;
    watch.onRoom(() => {
      room += 1;
    });
    await clock.run(2_000);
    expect([watch.state(), room, looks.at(-1)]).toEqual(['ok', 1, 'thorough']);
    expect(told).toEqual(['storage_not_writable', 'storage_writable_again']);
    watch.check();
    watch.close();
    expect(clock.timers).toBe(0);
  });

  it('is told of a write that failed, and wakes whoever waits when there is room', async () => {
    const { watch, clock } = open();
    await watch.start();
    expect(watch.note(new Error('something else'))).toBeUndefined();
    expect(watch.state()).toBe('ok');
    expect(watch.note(noSpace())).toMatchObject({ code: 'insufficient_storage' });
    const left = new AbortController();
    const waits = [watch.untilOk(new AbortController().signal), watch.untilOk(left.signal)];
    const settled = Promise.allSettled(waits);
    left.abort(new Error('left'));
    await clock.run(2_000);
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    watch.close();
    expect(clock.timers).toBe(0);
  });

  it('takes a disk that does not answer for one that cannot be written, and asks it once', async () => {
    const { watch, clock, looks, setDisk } = open();
    await watch.start();
    let answer = () => {};
    setDisk(() => new Promise<void>((resolve) => (answer = resolve)));
    await clock.run(20_000);
    expect([watch.state(), looks.length]).toEqual(['unavailable', 2]);
    await clock.run(30_000);
    expect(looks.length).toBe(2);
    setDisk(async () => {});
    answer();
    await clock.run(12_000);
    expect(watch.state()).toBe('ok');
    watch.close();
  });
});
