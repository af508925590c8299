import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { createOpenReplies } from '../../../src/http/server/open-replies.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { OPEN_ADMISSION } from '../../support/open-admission.ts';

const reply = () => new EventEmitter() as ServerResponse;
const whenDone = (drained: Promise<void>) => {
  const state = { isDone: false };
  void drained.then(() => {
    state.isDone = true;
  });
  return state;
};

it('waits for the replies that are being heard, and begins no more', async () => {
  const clock = createFakeClock();
  const replies = createOpenReplies(clock, OPEN_ADMISSION);
  const [one, other] = [reply(), reply()];
  replies.add(one);
  replies.add(other);
  const drained = whenDone(replies.drain(5000));
  expect(() => replies.add(reply())).toThrow(expect.objectContaining({ code: 'shutting_down' }));
  one.emit('close');
  await clock.run(4999);
  expect(drained.isDone).toBe(false);
  other.emit('close');
  await clock.run(0);
  expect(drained.isDone).toBe(true);
  expect(clock.timers).toBe(0);
});

it('waits no longer than it was told, and not at all for none', async () => {
  const clock = createFakeClock();
  const replies = createOpenReplies(clock, OPEN_ADMISSION);
  replies.add(reply());
  const drained = whenDone(replies.drain(5000));
  await clock.run(5000);
  expect(drained.isDone).toBe(true);
  await createOpenReplies(clock, OPEN_ADMISSION).drain(5000);
  expect(clock.timers).toBe(0);
});

it('does not wait for a reply that had closed before', async () => {
  const clock = createFakeClock();
  const replies = createOpenReplies(clock, OPEN_ADMISSION);
  replies.add(Object.assign(reply(), { closed: true }));
  const drained = whenDone(replies.drain(5000));
  await clock.run(0);
  expect(drained.isDone).toBe(true);
});
