// What the far side of a leg may send: what platforms really send is taken, what nobody sends is not.
import { describe, expect, it } from 'vitest';
import { createLegIntake, limitsOfCall } from '../../../src/gateway/calls/leg-intake.ts';
import type { LegAudio } from '../../../src/legs/leg.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const MULAW: LegAudio = { format: 'mulaw', sampleRate: 8000 };
const WIDEST: LegAudio = { format: 'raw', sampleRate: 48_000 };

function start() {
  const clock = createFakeClock();
  const told = { handled: 0, refused: [] as string[], limits: [] as string[] };
  const intake = createLegIntake({
    clock,
    limits: { connectionTimeMs: 100 },
    metrics: {
      intakeSpent() {},
      intakeSlowed() {},
      intakeRefused: (by, limit) => void told.limits.push(`${by} ${limit}`),
      legStarted() {},
      legOver() {},
      legEvicted() {},
    },
    handle: () => {
      told.handled += 1;
    },
    onRefused: ({ code }) => void told.refused.push(code),
  });
  return { clock, intake, told };
}

describe('the intake of a leg', () => {
  it.each([
    ['µ-law', MULAW, 160],
    ['48 kHz', WIDEST, 1920],
  ] as const)('takes an hour of %s in JSON, both tracks', (_name, audio, frameBytes) => {
    const { clock, intake, told } = start();
    const bytes = Math.ceil((frameBytes * 4) / 3) + 300;
    intake.take('start', 500);
    intake.started(audio);
    for (let n = 0; n < 3600 * 50; n += 1) {
      intake.take('media', bytes);
      intake.take('media', bytes);
      clock.advance(20);
    }
    expect(told).toMatchObject({ handled: 1 + 2 * 3600 * 50, refused: [] });
  });

  it('takes at once what a line brings that hung for twenty seconds', () => {
    const { intake, told } = start();
    intake.started(MULAW);
    for (let n = 0; n < 20 * 50; n += 1) intake.take('media', 514);
    expect(told).toMatchObject({ handled: 1000, refused: [] });
  });

  it('takes the largest message of a platform before it is known what the call is', () => {
    const { intake, told } = start();
    intake.take('start', 256 * 1024);
    expect(told).toMatchObject({ handled: 1, refused: [] });
  });

  it('refuses a stranger beyond half a megabyte, and hears no more', () => {
    const { clock, intake, told } = start();
    for (let n = 0; n < 100; n += 1) intake.take('x', 100_000);
    clock.advance(60_000);
    intake.take('x', 1);
    expect(told).toEqual({ handled: 5, refused: ['rate_limited'], limits: ['leg volume'] });
  });

  it('counts pings and pongs', () => {
    const { intake, told } = start();
    for (let n = 0; n < 401; n += 1) intake.count(0);
    expect(told.refused).toEqual(['rate_limited']);
  });

  it('holds a call to its audio', () => {
    expect(limitsOfCall(MULAW).bytesPerSecond).toBeLessThan(150_000);
    expect(limitsOfCall(WIDEST).bytesPerSecond).toBeGreaterThan(2 * 128_000);
  });
});
