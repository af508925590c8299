// A session outlives its connection: whatever is cut, and when, its client has every message and every byte once, and the
// session has every message of its client once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../src/dialects/native-messages.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import {
  carryOut,
  type Drop,
  dropOf,
  openResumableRig,
  type ResumableRig,
} from '../../support/resumable-rig.ts';

const FORMATS = {
  'µ-law': { format: 'mulaw' },
  raw: { format: 'raw', sampleRate: 16_000 },
  mp3: { format: 'mp3' },
  base64: { format: 'mulaw', audio: 'base64' },
} as const satisfies Record<string, Preset>;
const PACES = {
  'real time': {},
  burst: { pace: 'burst' },
  credit: { flow: 'credit' },
} as const satisfies Record<string, Preset>;

const SCRIPT: readonly (readonly [atMs: number, message: Readonly<Record<string, unknown>>])[] = [
  [0, { type: 'ping', id: 'first' }],
  [10, { type: 'speak', turn: 'a', text: 'One whole text.' }],
  [30, { type: 'mark', turn: 'a', name: 'end of a' }],
  ...['And ', 'now ', 'by ', 'tok', 'ens. '].map(
    (text, at) => [100 + 60 * at, { type: 'append', turn: 'b', text }] as const,
  ),
  [500, { type: 'end', turn: 'b' }],
  [520, { type: 'mark', turn: 'b', name: 'end of b' }],
  [2500, { type: 'speak', turn: 'c', text: 'And a third.' }],
  [2600, { type: 'ping', id: 'last' }],
];

async function run(preset: Preset, drops: readonly Drop[]): Promise<ResumableRig> {
  const bytesPerMs = preset.format === 'raw' ? 32 : 8;
  const rig = openResumableRig({
    preset,
    auto: atOnce((text) => speechMp3(600 + 20 * text.length)),
    // In credit the listener hears at once what it gets.
    ...(preset.flow === 'credit' && {
      onAudio: (turn, bytes) => rig.client.send({ type: 'played', turn, ms: bytes / bytesPerMs }),
    }),
  });
  const { clock, client } = rig;
  for (const [atMs, message] of SCRIPT) clock.after(atMs, () => client.send(message));
  for (const drop of drops) await carryOut(rig, drop);
  await clock.run(12_000);
  return rig;
}

const bytesOf = (rig: ResumableRig, turn: string) => Buffer.concat(rig.client.audio.get(turn) ?? []);
const essence = ({ client }: ResumableRig) =>
  client.messages
    .filter(({ type }) => ['ended', 'mark', 'pong'].includes(type))
    .map(({ type, turn, outcome, sentMs, name, id }) => [type, turn, outcome, sentMs, name, id].join(' '))
    .sort();

describe.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])('%s', (format) => {
  it.each(
    (Object.keys(PACES) as (keyof typeof PACES)[]).filter(
      (pace) => pace !== 'credit' || format === 'µ-law' || format === 'raw',
    ),
  )(
    'in %s: nothing is lost and nothing comes twice',
    async (pace) => {
      const preset: Preset = { ...FORMATS[format], ...PACES[pace], captions: 'words' };
      const whole = await run(preset, []);
      whole.stop();
      expect(whole.client.faults).toEqual([]);
      expect(whole.client.messages.filter(({ type }) => type === 'ended')).toHaveLength(3);
      await fc.assert(
        fc.asyncProperty(fc.array(dropOf, { minLength: 10, maxLength: 10 }), async (drops) => {
          const rig = await run(preset, drops);
          const { client } = rig;
          expect(client.faults).toEqual([]);
          expect(rig.told).toEqual(client.sent);
          expect(client.returns.every(({ exact }) => exact === true)).toBe(true);
          for (const turn of ['a', 'b', 'c']) {
            expect(bytesOf(rig, turn).equals(bytesOf(whole, turn))).toBe(true);
            expect(bytesOf(rig, turn).equals(Buffer.concat(rig.made.get(turn)!))).toBe(true);
          }
          expect(essence(rig)).toEqual(essence(whole));
          expect(rig.underruns).toEqual([]);
          expect(client.acks.at(-1) ?? client.returns.at(-1)?.['taken']).toBeLessThanOrEqual(
            client.sent.length,
          );
          rig.stop();
        }),
        { numRuns: 10, endOnFailure: true },
      );
    },
    60_000,
  );
});

describe('a session whose connection is lost', () => {
  const open = () => openResumableRig({ preset: {}, auto: atOnce(() => speechMp3(2000)), forMs: 5000 });
  const speaking = async () => {
    const rig = open();
    rig.client.send({ type: 'speak', turn: 'a', text: 'One whole text.' });
    await rig.clock.run(1000);
    return rig;
  };

  it('waits for so long, and then ends as a lost one', async () => {
    const rig = await speaking();
    rig.client.socket!.lose();
    await rig.clock.run(4000);
    expect([rig.connection.state(), rig.closes]).toEqual(['waiting', []]);
    await rig.clock.run(3000);
    expect([rig.connection.state(), rig.closes]).toEqual(['over', [1006]]);
    expect(rig.comeBack()).toBe('session_gone');
    rig.stop();
  });

  it.each([1000, 1005, 1002, 4000])('ends at once when its client has closed it (%i)', async (code) => {
    const rig = await speaking();
    rig.client.socket!.lose(code);
    expect([rig.connection.state(), rig.closes]).toEqual(['over', [code]]);
    rig.stop();
  });

  it('stands still: nothing is sent, and its listener hears on behind what it has got', async () => {
    const rig = await speaking();
    const socket = rig.client.socket!;
    socket.downFrames = 0;
    socket.lose();
    const before = Buffer.concat(rig.made.get('a')!).length;
    await rig.clock.run(3000);
    expect(Buffer.concat(rig.made.get('a')!).length).toBe(before);
    expect(rig.comeBack()).toBeUndefined();
    await rig.clock.run(500);
    // A lead and half a second later.
    const since = Buffer.concat(rig.made.get('a')!).length - before;
    expect(since / 8).toBeGreaterThan(600);
    expect(since / 8).toBeLessThan(800);
    await rig.clock.run(3000);
    expect(rig.client.messages.find(({ type }) => type === 'heard')?.['playedMs']).toBeGreaterThan(2000);
    expect(rig.underruns).toEqual([]);
    rig.stop();
  });

  it('is not given up for a pong that does not come, and is told apart by its tokens', async () => {
    const rig = await speaking();
    const [first] = [rig.client.token!.token];
    rig.client.socket!.up = 'dead';
    await rig.clock.run(40_000);
    expect(rig.client.socket!.closed).toEqual({ code: 1006, by: 'server' });
    rig.stop();
    const other = await speaking();
    other.client.socket!.lose();
    expect(other.comeBack()).toBeUndefined();
    const newest = other.client.token;
    other.client.token = { token: first, forMs: 0 };
    expect(other.comeBack()).toBeUndefined(); // nothing has been said on the new connection
    expect(other.client.token.token).not.toBe(newest!.token);
    other.client.send({ type: 'ping' });
    await other.clock.run(10);
    other.client.token = { token: first, forMs: 0 };
    expect(other.comeBack()).toBe('unauthorized');
    other.stop();
  });
});
