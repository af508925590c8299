// The admission: looks at what the thread uses for as long as it is open, and says no in the words of the error table.
import { expect, it } from 'vitest';
import { createHeadroom } from '../../src/limits/headroom.ts';
import { createAdmissionControl, type SpeechAsker } from '../../src/session/admission-control.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const start = (used: { share: number }) => {
  const clock = createFakeClock();
  const refused: SpeechAsker[] = [];
  const headroom = createHeadroom(0.85);
  const onRefused = (asker: SpeechAsker) => void refused.push(asker);
  const admission = createAdmissionControl({ headroom, clock, usedShare: () => used.share, onRefused });
  return { clock, admission, refused };
};

it('refuses who is new before the turns of those who are there, counts it, and forgets it with the load', () => {
  const used = { share: 0.87 };
  const { clock, admission, refused } = start(used);
  const places = Array.from({ length: 100 }, () => admission.take(1));
  for (const place of places) place.began();
  clock.advance(10_000);
  expect(admission.refusal('session')).toMatchObject({ code: 'busy', http: 503 });
  expect(admission.refusal('reply')?.retryAfterMs).toBeGreaterThan(0);
  expect(admission.refusal('turn')).toBeUndefined();
  expect(admission.refusal('leg')).toBeUndefined();
  used.share = 0.95;
  clock.advance(2000);
  expect(admission.refusal('turn')).toMatchObject({ code: 'busy' });
  expect(admission.refusal('leg')).toMatchObject({ code: 'busy' });
  expect(refused).toEqual(['session', 'reply', 'turn', 'leg']);
  used.share = 0.5;
  clock.advance(700);
  expect(admission.refusal('session')).toBeUndefined();
  for (const place of places) place.leave();
  admission.close();
  expect(clock.timers).toBe(0);
});
