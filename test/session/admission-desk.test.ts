// The desk: looks at what the thread uses for as long as it is open, and says no in the words of the error table.
import { expect, it } from 'vitest';
import { createHeadroom } from '../../src/limits/headroom.ts';
import { createAdmissionDesk, type SpeechAsker } from '../../src/session/admission-desk.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const start = (used: { share: number }) => {
  const clock = createFakeClock();
  const refused: SpeechAsker[] = [];
  const headroom = createHeadroom(0.85);
  const onRefused = (asker: SpeechAsker) => void refused.push(asker);
  const desk = createAdmissionDesk({ headroom, clock, usedShare: () => used.share, onRefused });
  return { clock, desk, refused };
};

it('refuses who is new before the turns of those who are there, counts it, and forgets it with the load', () => {
  const used = { share: 0.87 };
  const { clock, desk, refused } = start(used);
  const places = Array.from({ length: 100 }, () => desk.take(1));
  for (const place of places) place.began();
  clock.advance(10_000);
  expect(desk.refusal('session')).toMatchObject({ code: 'busy', http: 503 });
  expect(desk.refusal('reply')?.retryAfterMs).toBeGreaterThan(0);
  expect(desk.refusal('turn')).toBeUndefined();
  expect(desk.refusal('leg')).toBeUndefined();
  used.share = 0.95;
  clock.advance(2000);
  expect(desk.refusal('turn')).toMatchObject({ code: 'busy' });
  expect(desk.refusal('leg')).toMatchObject({ code: 'busy' });
  expect(refused).toEqual(['session', 'reply', 'turn', 'leg']);
  used.share = 0.5;
  clock.advance(700);
  expect(desk.refusal('session')).toBeUndefined();
  for (const place of places) place.leave();
  desk.close();
  expect(clock.timers).toBe(0);
});
