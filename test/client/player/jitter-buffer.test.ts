// What the audio thread plays and tells: every sample once and in order, whatever the sizes in which it comes and goes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJitterBuffer } from '../../../packages/client/src/player/jitter-buffer.ts';
import type { FromPlayout } from '../../../packages/client/src/player/playout-messages.ts';
import { createSampleRing } from '../../../packages/client/src/player/sample-ring.ts';

const QUANTUM = 128;
const ramp = (from: number, count: number) => Float32Array.from({ length: count }, (_, i) => from + i + 1);

function open({ startSamples = QUANTUM, ringSamples = 1000 } = {}) {
  const told: FromPlayout[] = [];
  const buffer = createJitterBuffer({ startSamples, ringSamples }, (message) => told.push(message));
  let frame = 0;
  return {
    told,
    buffer,
    render: (): Float32Array => {
      const into = new Float32Array(QUANTUM).fill(9);
      buffer.render(into, frame);
      frame += QUANTUM;
      return into;
    },
  };
}

describe('sample ring', () => {
  it('gives back what it took, whatever the sizes', () => {
    const sizes = fc.array(fc.record({ write: fc.nat(40), read: fc.nat(40) }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (steps) => {
        const ring = createSampleRing(64);
        let [written, read] = [0, 0];
        for (const step of steps) {
          const free = 64 - ring.length;
          const taken = ring.write(ramp(written, step.write));
          expect(taken).toBe(Math.min(step.write, free));
          written += taken;
          const into = new Float32Array(step.read);
          const given = ring.read(into);
          expect([...into.subarray(0, given)]).toEqual([...ramp(read, given)]);
          read += given;
          expect(ring.length).toBe(written - read);
        }
      }),
    );
  });
});

describe('jitter buffer', () => {
  it('is silent until enough waits, and then plays what came', () => {
    const { buffer, render, told } = open({ startSamples: 200 });
    buffer.receive({ type: 'samples', samples: ramp(0, 150) });
    expect(new Set(render())).toEqual(new Set([0]));
    buffer.receive({ type: 'samples', samples: ramp(150, 150) });
    expect([...render(), ...render()]).toEqual([...ramp(0, 256)]);
    expect(told).toEqual([{ type: 'moving', frame: 128, played: 0 }]);
  });

  it('plays a short turn that has ended, to its last sample', () => {
    const { buffer, render, told } = open();
    buffer.receive({ type: 'samples', samples: ramp(0, 10) });
    buffer.receive({ type: 'ended' });
    const sound = render();
    expect([...sound.subarray(0, 10)]).toEqual([...ramp(0, 10)]);
    expect(new Set(sound.subarray(10))).toEqual(new Set([0]));
    expect(told.at(-1)).toEqual({ type: 'still', frame: 10, played: 10, why: 'done' });
  });

  it('tells an underrun, and waits again until enough is there', () => {
    const { buffer, render, told } = open();
    buffer.receive({ type: 'samples', samples: ramp(0, 130) });
    render();
    render();
    expect(told.at(-1)).toEqual({ type: 'still', frame: 130, played: 130, why: 'dry' });
    buffer.receive({ type: 'samples', samples: ramp(130, 100) });
    expect(new Set(render())).toEqual(new Set([0]));
    buffer.receive({ type: 'samples', samples: ramp(230, 100) });
    expect([...render()]).toEqual([...ramp(130, 128)]);
  });

  it('drops what waits at and after a cut, and tells how far it had played', () => {
    const { buffer, render, told } = open();
    buffer.receive({ type: 'samples', samples: ramp(0, 600) });
    render();
    buffer.receive({ type: 'cut', from: 200 });
    expect(told.at(-1)).toEqual({ type: 'cut', played: 128 });
    buffer.receive({ type: 'samples', samples: ramp(1000, 600) });
    expect([...render()]).toEqual([...ramp(128, 72), ...ramp(1000, 56)]);
    buffer.receive({ type: 'cut', from: 0 });
    expect(told.slice(-2)).toEqual([
      { type: 'still', frame: 256, played: 256, why: 'cut' },
      { type: 'cut', played: 256 },
    ]);
    expect(new Set(render())).toEqual(new Set([0]));
  });

  it('holds its place while it is held', () => {
    const { buffer, render, told } = open();
    buffer.receive({ type: 'samples', samples: ramp(0, 600) });
    render();
    buffer.receive({ type: 'hold' });
    expect(new Set(render())).toEqual(new Set([0]));
    buffer.receive({ type: 'release' });
    expect([...render()]).toEqual([...ramp(128, 128)]);
    expect(told.map((message) => (message.type === 'still' ? message.why : message.type))).toEqual([
      'moving',
      'held',
      'moving',
    ]);
  });

  it('says what found no room', () => {
    const { buffer, told } = open({ ringSamples: 100 });
    buffer.receive({ type: 'samples', samples: ramp(0, 130) });
    expect(told).toEqual([{ type: 'lost', samples: 30 }]);
  });
});
