import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createOnlookerSound } from '../../src/session/onlooker-sound.ts';
import { codecs } from '../support/codecs.ts';

describe('the sound of onlookers', () => {
  it('is handed out one format in a turn of the event loop, each as far as time has passed', () => {
    const later: (() => void)[] = [];
    const sound = createOnlookerSound(codecs, 0, silentLog, (task) => later.push(task));
    const got: Record<string, number> = {};
    for (const [name, format] of [
      ['first', 'mulaw'],
      ['second', 'alaw'],
      ['third', 'raw'],
    ] as const) {
      got[name] = 0;
      const take = (bytes: Uint8Array) => {
        got[name]! += bytes.length;
      };
      sound.listen({ format, sampleRate: 8000 }, { send: take, close() {} }, 0);
    }
    sound.tick(40);
    expect(got).toEqual({ first: 320, second: 0, third: 0 });
    later.shift()!();
    sound.tick(80); // those who wait are handed what has come meanwhile, and nobody is handed it twice
    expect(got).toEqual({ first: 320, second: 320, third: 0 });
    while (later.length > 0) later.shift()!();
    expect(got).toEqual({ first: 640, second: 640, third: 1280 });
    sound.close(undefined);
  });
});
