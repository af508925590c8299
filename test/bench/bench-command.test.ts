// What `voxgate bench` says about being called wrongly; the benches themselves are run by hand.
import { describe, expect, it } from 'vitest';
import { bench } from '../../bench/bench-command.ts';
import { UsageError } from '../../src/cli/command.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';

const WRONG: [string[], RegExp][] = [
  [[], /Name a bench.*pacing, capacity, processes, overload/],
  [['speed'], /no bench "speed"/],
  [['constructor'], /no bench "constructor"/],
  [['pacing', '--streams', '0'], /--streams is "0"; allowed: a whole number from 1 to 2000/],
  [
    ['pacing', '--rounds', '2'],
    /--rounds is not for pacing; it takes --streams, --seconds, --block-ms, --seed/,
  ],
  [
    ['mixed-formats', '--heavy-streams', '65'],
    /--heavy-streams is "65"; allowed: a whole number from 1 to 64/,
  ],
  [['transcode', '--engine'], /--engine is not for transcode/],
  [['pacing', '--window', 'clock'], /--window is for quota/],
  [['all', '--window', 'clock'], /--window is for quota/],
  [
    ['quota', '--window', 'calendar'],
    /--window is "calendar"; allowed: sliding, strict, bucket, first, clock/,
  ],
  [['quota', '--outage-seconds', '301'], /--outage-seconds is "301"; allowed: a whole number from 0 to 300/],
  [['pacing', '--only', 'streams'], /--only is for (.*, )?beside-relay, growth(, .*)?/],
  [['growth', '--only', 'users'], /--only is "users"; allowed: streams, sessions, length/],
  [['all', '--engine'], /--engine is for pacing/],
];

describe('voxgate bench', () => {
  it.each(WRONG)('refuses %j', async (args, message) => {
    const wrong = await bench.run(createFakeTerminal(args)).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(UsageError);
    expect((wrong as UsageError).message).toMatch(message);
  });

  it('tells each bench with its defaults', () => {
    expect(bench.help()).toMatch(/mixed-formats .*\n.*--streams 100 {2}--heavy-streams 10/);
  });
});
