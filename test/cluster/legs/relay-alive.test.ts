// A relay notices that the other side is gone although its connection says nothing: its machine has vanished, or its process is stopped.
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { packRelay, type RelayMessage, readRelay } from '../../../src/cluster/legs/relay-frames.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const ALIVE: RelayMessage = { is: 'alive', answers: true };

function open() {
  const clock = createFakeClock();
  const written: Buffer[] = [];
  const relay = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  const heard: RelayMessage[] = [];
  const { ask } = readRelay(relay, (message) => heard.push(message), clock);
  const tell = async (message: RelayMessage) => {
    relay.push(packRelay(message));
    await clock.run(1);
  };
  return { clock, relay, written, heard, tell, ask };
}

it('says at once and every two seconds that its side is alive, and ends when the other one does not any more', async () => {
  const { clock, relay, written, heard, tell } = open();
  for (let second = 0; second < 20; second += 1) {
    await clock.run(1000);
    if (second % 2 === 0) await tell(ALIVE);
  }
  expect(Buffer.concat(written).equals(Buffer.concat(Array(11).fill(packRelay(ALIVE))))).toBe(true);
  expect([relay.destroyed, heard]).toEqual([false, []]);
  await clock.run(5000);
  expect(relay.destroyed).toBe(false);
  await clock.run(3000);
  expect(relay.destroyed).toBe(true);
});

it('goes on with a side that never says so, and with one that says anything', async () => {
  const old = open();
  await old.tell({ is: 'taken', bytes: 1, waiting: 0 });
  await old.clock.run(60_000);
  expect([old.relay.destroyed, old.heard.length]).toEqual([false, 1]);
  const busy = open();
  await busy.tell(ALIVE);
  for (let second = 0; second < 30; second += 1) {
    await busy.tell({ is: 'frame', frame: 'x' });
    await busy.clock.run(1000);
  }
  expect(busy.relay.destroyed).toBe(false);
});

it('is cut where the other side does not answer at once when it is asked, but for one that cannot know of it', async () => {
  const asked = async (answer: RelayMessage | undefined, first: RelayMessage) => {
    const { clock, relay, written, tell, ask } = open();
    await tell(first);
    ask();
    expect(Buffer.concat(written).toString().includes('"ask"')).toBe(first === ALIVE);
    await clock.run(300);
    if (answer !== undefined) await tell(answer);
    await clock.run(200);
    return relay.destroyed ? 'cut' : 'goes on';
  };
  expect(await asked(ALIVE, ALIVE)).toBe('goes on');
  expect(await asked({ is: 'frame', frame: 'x' }, ALIVE)).toBe('goes on');
  expect(await asked(undefined, ALIVE)).toBe('cut');
  expect(await asked(undefined, { is: 'taken', bytes: 1, waiting: 0 })).toBe('goes on');
  expect(await asked(undefined, { is: 'alive' })).toBe('goes on');
});

it('answers when it is asked', async () => {
  const { written, heard, tell } = open();
  await tell({ is: 'ask' });
  expect([Buffer.concat(written).equals(Buffer.concat([packRelay(ALIVE), packRelay(ALIVE)])), heard]).toEqual(
    [true, []],
  );
});
