import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { OnlookerSound } from '../../../src/session/observers/onlooker-sound.ts';
import { codecs } from '../../support/codecs.ts';
import { settle } from '../../support/fake-clock.ts';

describe('the sound of onlookers', () => {
  it('is handed out by so many formats in a turn of the event loop as it has time for, each as far as time has passed', async () => {
    const later: (() => void)[] = [];
    let nowMs = 0;
    const clock = {
      now: () => nowMs,
      soon: (task: () => void) => void later.push(task),
      after: () => () => {},
    };
    const sound = new OnlookerSound(codecs, 0, silentLog, clock);
    const got: Record<string, number> = {};
    for (const [name, format] of [
      ['first', 'mulaw'],
      ['second', 'alaw'],
      ['third', 'raw'],
    ] as const) {
      got[name] = 0;
      const take = (bytes: Uint8Array) => {
        got[name]! += bytes.length;
        nowMs += 1; // as long as they may take in one turn
      };
      sound.listen({ format, sampleRate: 8000 }, { send: take, close() {} }, 0);
    }
    sound.tick(40);
    await settle();
    expect(got).toEqual({ first: 320, second: 0, third: 0 });
    later.shift()!();
    await settle();
    sound.tick(80); // those who wait are handed what has come meanwhile, and nobody is handed it twice
    expect(got).toEqual({ first: 320, second: 320, third: 0 });
    for (let turn = later.shift(); turn !== undefined; turn = later.shift()) {
      turn();
      await settle();
    }
    expect(got).toEqual({ first: 640, second: 640, third: 1280 });
    sound.close(undefined);
  });
});
