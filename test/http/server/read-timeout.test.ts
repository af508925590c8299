import { expect, it } from 'vitest';
import { withReadTimeout } from '../../../src/http/server/read-timeout.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function open() {
  const clock = createFakeClock();
  const seen = { stalls: 0, isClosed: false };
  async function* chunks() {
    try {
      for (let byte = 0; byte < 3; byte += 1) yield Uint8Array.of(byte);
    } finally {
      seen.isClosed = true;
    }
  }
  const taken = withReadTimeout(chunks(), 1000, clock, () => {
    seen.stalls += 1;
  });
  return { clock, seen, taken };
}

it('hands on every chunk, and waits for nothing once the last is taken', async () => {
  const { clock, seen, taken } = open();
  const bytes: number[] = [];
  for await (const chunk of taken) {
    bytes.push(...chunk);
    clock.advance(999);
  }
  expect(bytes).toEqual([0, 1, 2]);
  expect(seen).toEqual({ stalls: 0, isClosed: true });
  expect(clock.timers).toBe(0);
});

it('tells when a chunk is left lying, once for each', async () => {
  const { clock, seen, taken } = open();
  await taken.next();
  clock.advance(5000);
  expect(seen.stalls).toBe(1);
});

it('closes what it reads from when it is left early', async () => {
  const { clock, seen, taken } = open();
  await taken.next();
  await taken.return();
  expect(seen.isClosed).toBe(true);
  expect(clock.timers).toBe(0);
});
