// A session outlives its connection: whatever is cut, and when, its client has every message and every byte once, and the
// session has every message of its client once.
import { readFileSync } from 'node:fs';
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
import { trialSize } from '../../support/trial-size.ts';

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

// What is done to turns while connections drop: read in turns of two voices, paused, sought, cut, and looked on at.
const SPEECH = readFileSync(new URL('../../../fixtures/audio/ffmpeg-live-24k.mp3', import.meta.url));
const paragraph = (n: number) => `This is paragraph ${n} of what is read.`;
const NARRATION: typeof SCRIPT = [
  [0, { type: 'speak', turn: 'd', dialogue: [1, 2].map((speaker) => ({ speaker, text: 'Who is there?' })) }],
  [20, { type: 'mark', turn: 'd', name: 'end of d' }],
  [40, { type: 'speak', turn: 'p', text: 'This one stands still for a while.' }],
  [60, { type: 'speak', turn: 's', text: [0, 1, 2, 3].map(paragraph).join('\n\n') }],
  ...['It is ', 'cut ', 'bef', 'ore ', 'its ', 'end, ', 'mostly.'].map(
    (text, at) => [100 + 40 * at, { type: 'append', turn: 'x', text }] as const,
  ),
  [1900, { type: 'pause', turn: 'p' }],
  [2300, { type: 'resume', turn: 'p' }],
  [4000, { type: 'seek', turn: 's', paragraph: 2 }],
  [6500, { type: 'cancel', turn: 'x' }],
  [7000, { type: 'speak', turn: 'z', text: 'The last one.' }],
];

async function narrate(preset: Preset, drops: readonly Drop[]) {
  const rig = openResumableRig({
    preset,
    auto: atOnce((text) => SPEECH.subarray(0, 192 * Math.min(97, 10 + text.length))),
  });
  const { clock, client } = rig;
  const heard: Uint8Array[] = [];
  const seen: string[] = [];
  const { audience } = rig.connection.session;
  audience.listen({ format: 'mulaw', sampleRate: 8000 }, { send: (bytes) => heard.push(bytes), close() {} });
  audience.readEvents(
    {
      send: ({ event }) => void seen.push(event.type === 'caption' ? wordsOf(event) : `<${event.type}>`),
      close() {},
    },
    undefined,
  );
  for (const [atMs, message] of NARRATION) clock.after(atMs, () => client.send(message));
  for (const drop of drops) await carryOut(rig, drop);
  await clock.run(20_000);
  return { rig, heard: () => withoutSilence(Buffer.concat(heard)), seen };
}
const withoutSilence = (bytes: Buffer) => Buffer.from(bytes.filter((byte) => byte !== 0xff));
const wordsOf = (caption: object) =>
  (caption as { readonly words: readonly { readonly text: string }[] }).words
    .map(({ text }) => text)
    .join(' ');
/** But for estimates of when words come, which are the better the more of the sound is there. */
const essenceOf = (rig: ResumableRig, turn: string) => [
  ofTurn(rig, turn, ['caption']).map(wordsOf).join(' '),
  ofTurn(rig, turn, ['heard', 'mark'])
    .map(({ n: _n, ...told }) => JSON.stringify(told))
    .sort(),
];
const ofTurn = ({ client }: ResumableRig, turn: string, types: readonly string[]) =>
  client.messages.filter((message) => message['turn'] === turn && types.includes(message.type));

it.each([
  ['µ-law in real time', { format: 'mulaw' }],
  ['base64 in a burst', { format: 'mulaw', audio: 'base64', pace: 'burst' }],
  ['raw in real time', { format: 'raw', sampleRate: 16_000 }],
] as const)(
  'what is read, paused, sought, cut and looked on at, %s',
  async (_name, output) => {
    const preset: Preset = { ...output, captions: 'words', cache: 'off' };
    const whole = await narrate(preset, []);
    const bytesPerMs = output.format === 'raw' ? 32 : 8;
    const tail = (rig: ResumableRig) => {
      const [sought] = ofTurn(rig, 's', ['sought']);
      return bytesOf(rig, 's').subarray(rig.client.behindBytes.get(sought!));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(dropOf, { minLength: 6, maxLength: 6 }), async (drops) => {
        const { rig, heard, seen } = await narrate(preset, drops);
        const { client } = rig;
        expect(client.faults).toEqual([]);
        expect(rig.told).toEqual(client.sent);
        expect(client.returns.every(({ exact }) => exact === true)).toBe(true);
        expect(rig.underruns).toEqual([]);
        for (const turn of ['d', 'p', 's', 'x', 'z'])
          expect(bytesOf(rig, turn).equals(Buffer.concat(rig.made.get(turn) ?? []))).toBe(true);
        for (const turn of ['d', 'p', 'z']) {
          expect(bytesOf(rig, turn).equals(bytesOf(whole.rig, turn))).toBe(true);
          expect(essenceOf(rig, turn)).toEqual(essenceOf(whole.rig, turn));
        }
        // What comes when its turn has ended is refused.
        expect(ofTurn(rig, 'p', ['paused'])).toHaveLength(ofTurn(rig, 'p', ['resumed']).length);
        if (ofTurn(rig, 's', ['sought']).length > 0) expect(tail(rig).equals(tail(whole.rig))).toBe(true);
        for (const turn of ['d', 'p', 's', 'x', 'z']) {
          expect(ofTurn(rig, turn, ['ended'])).toHaveLength(1);
          // A word comes before its sound.
          for (const caption of ofTurn(rig, turn, ['caption'])) {
            const [first] = caption['words'] as readonly { startMs: number }[];
            if (turn !== 's')
              expect(client.behindBytes.get(caption)! / bytesPerMs).toBeLessThanOrEqual(first!.startMs + 20);
          }
        }
        expect(
          seen
            .join(' ')
            .replaceAll(/ ?<\w+>/g, '')
            .trim(),
        ).toMatch(/^Who is there\? Who is there\? This one stands still for a while\. .* The last one\.$/);
        const told = client.messages.filter(({ type }) => type === 'heard');
        expect(seen.filter((each) => each === '<heard>')).toHaveLength(told.length);
        // Onlookers hear it once and in order, as far as it was heard.
        if (output.format === 'mulaw' && !('pace' in output))
          for (const turn of ['d', 'p', 'z'])
            expect(heard().includes(withoutSilence(bytesOf(rig, turn)))).toBe(true);
        rig.stop();
      }),
      { numRuns: trialSize(8, 3), endOnFailure: true },
    );
    whole.rig.stop();
  },
  60_000,
);

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

  it('does not lose its client to an upgrade that was long on its way: a pong proves that it has the newest token', async () => {
    const rig = await speaking();
    const first = rig.client.token!;
    rig.client.socket!.lose();
    expect(rig.comeBack()).toBeUndefined();
    const [newest, socket] = [rig.client.token!, rig.client.socket!];
    expect(newest.token).not.toBe(first.token);
    await rig.clock.run(5_000);
    rig.client.token = first;
    expect(rig.comeBack()).toBe('unauthorized');
    rig.client.token = newest;
    expect(socket.closed).toBeUndefined();
    rig.stop();
  });
});
