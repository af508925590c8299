import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SingleWaiter } from '../../src/base/single-waiter.ts';

describe('SingleWaiter', () => {
  it('lets the one who waits go on', async () => {
    const waiter = new SingleWaiter();
    const waited = waiter.wait(new AbortController().signal);
    expect(waiter.isWaiting()).toBe(true);
    waiter.release();
    await expect(waited).resolves.toBeUndefined();
    expect(waiter.isWaiting()).toBe(false);
  });

  it('rejects with what went wrong, and with the reason of a signal', async () => {
    const waiter = new SingleWaiter();
    const controller = new AbortController();
    const failed = waiter.wait(controller.signal);
    waiter.fail(new Error('no more'));
    await expect(failed).rejects.toThrow('no more');
    const cut = waiter.wait(controller.signal);
    controller.abort(new Error('cut'));
    await expect(cut).rejects.toThrow('cut');
    expect(waiter.isWaiting()).toBe(false);
    await expect(waiter.wait(controller.signal)).rejects.toThrow('cut');
  });

  it('listens once to a signal, however often it is waited under it', async () => {
    const waiter = new SingleWaiter();
    const { signal } = new AbortController();
    for (let round = 0; round < 5; round += 1) {
      const waited = waiter.wait(signal);
      waiter.release();
      await waited;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });

  it('hears no more of a signal that another one has followed', async () => {
    const waiter = new SingleWaiter();
    const [first, second] = [new AbortController(), new AbortController()];
    const before = waiter.wait(first.signal);
    waiter.release();
    await before;
    const waited = waiter.wait(second.signal);
    first.abort(new Error('over'));
    expect(waiter.isWaiting()).toBe(true);
    waiter.release();
    await expect(waited).resolves.toBeUndefined();
  });
});
