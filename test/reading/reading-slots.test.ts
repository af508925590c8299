// One user's files are never in the way of another's.
import { describe, expect, it } from 'vitest';
import { ReadingSlots } from '../../src/reading/reading-slots.ts';

const NEVER = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function room(maxAtOnce: number, maxWaiting = 16, maxWaitingPerUser = 4) {
  const slots = new ReadingSlots({ maxAtOnce, maxWaiting, maxWaitingPerUser });
  const entered: string[] = [];
  const come = (userId: string, signal = NEVER) =>
    slots.enter(userId, signal).then(() => {
      entered.push(userId);
    });
  return { slots, entered, come };
}

describe('the slots for reading', () => {
  it('leave one to others, however many files a user has', async () => {
    const { slots, entered, come } = room(2);
    for (let i = 0; i < 4; i++) void come('ann');
    await settled();
    expect(entered).toEqual(['ann']);
    await come('bob');
    slots.leave('ann');
    await settled();
    expect(entered).toEqual(['ann', 'bob', 'ann']);
  });

  it('go to the user that reads least, and among those to the one that waits longest', async () => {
    const { slots, entered, come } = room(3);
    await Promise.all(['ann', 'ann', 'bob'].map((userId) => come(userId)));
    for (const userId of ['bob', 'cid', 'dan']) void come(userId);
    entered.length = 0;
    for (const userId of ['ann', 'ann', 'bob']) {
      slots.leave(userId);
      await settled();
    }
    expect(entered).toEqual(['cid', 'dan', 'bob']);
  });

  it('are one for all where there is only one', async () => {
    const { slots, entered, come } = room(1);
    for (const userId of ['ann', 'bob', 'ann']) void come(userId);
    await settled();
    expect(entered).toEqual(['ann']);
    slots.leave('ann');
    await settled();
    expect(entered).toEqual(['ann', 'bob']);
  });

  it('have a bounded waiting room, and a smaller one for each user', async () => {
    const { come } = room(1, 3, 2);
    await come('ann');
    void come('ann');
    void come('ann');
    await expect(come('ann')).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/this user/),
    });
    void come('bob');
    await expect(come('bob')).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/Many files/),
    });
  });

  it('forget who gives up waiting', async () => {
    const { slots, entered, come } = room(1);
    await come('ann');
    const leaving = new AbortController();
    const gone = expect(come('bob', leaving.signal)).rejects.toThrow('enough');
    void come('cid');
    leaving.abort(new Error('enough'));
    await gone;
    slots.leave('ann');
    await settled();
    expect(entered).toEqual(['ann', 'cid']);
  });
});
