// The instance of a session is gone, at any moment: another one goes on with it from its journal. Nothing that was acknowledged
// is lost, whole texts go on with the very byte where the service repeats itself, and what was cut stays cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../src/dialects/native-messages.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { goOnElsewhere } from '../../support/go-on-elsewhere.ts';
import { createMemoryJournal } from '../../support/memory-journal.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { openResumableRig, type ResumableRig } from '../../support/resumable-rig.ts';

type Script = readonly (readonly [atMs: number, message: Readonly<Record<string, unknown>>])[];

const WHOLE_TEXTS: Script = [
  [0, { type: 'configure', captions: 'words' }],
  [10, { type: 'speak', turn: 'a', text: 'One whole text.' }],
  [30, { type: 'mark', turn: 'a', name: 'end of a' }],
  [40, { type: 'speak', turn: 'b', text: 'And a second one, right behind it.' }],
  [2500, { type: 'speak', turn: 'c', text: 'And a third.' }],
  [2600, { type: 'ping', id: 'last' }],
];
const auto = atOnce((text) => speechMp3(600 + 20 * text.length));

async function run(
  script: Script,
  preset: Preset,
  kills: readonly { afterMs: number; awayMs: number }[],
  service?: { ignored: string[] },
) {
  const journal = createMemoryJournal();
  let rig = openResumableRig({ preset, auto, journal });
  const { clock, client } = rig;
  for (const [atMs, message] of script) clock.after(atMs, () => client.send(message));
  for (const { afterMs, awayMs } of kills) {
    await clock.run(afterMs);
    rig.kill();
    await clock.run(awayMs);
    rig = await goOnElsewhere(rig, { journal, preset, auto, service });
  }
  await clock.run(15_000);
  rig.stop();
  return { client, journal };
}
const soundOf = (client: ResumableRig['client'], turn: string) => Buffer.concat(client.audio.get(turn) ?? []);
const killsOf = fc.array(
  fc.record({ afterMs: fc.integer({ min: 1, max: 4000 }), awayMs: fc.integer({ min: 1, max: 3000 }) }),
  { minLength: 1, maxLength: 3 },
);

describe.each([
  ['µ-law', { format: 'mulaw' }],
  ['raw', { format: 'raw', sampleRate: 16_000 }],
  ['mp3', { format: 'mp3' }],
  ['wav', { format: 'wav' }],
  ['base64', { format: 'mulaw', audio: 'base64' }],
  ['a burst', { format: 'mulaw', pace: 'burst' }],
] as const satisfies readonly (readonly [string, Preset])[])('whole texts, %s', (_name, preset) => {
  it('go on with the very byte at another instance', async () => {
    const whole = await run(WHOLE_TEXTS, preset, []);
    expect(whole.client.faults).toEqual([]);
    await fc.assert(
      fc.asyncProperty(killsOf, async (kills) => {
        const { client } = await run(WHOLE_TEXTS, preset, kills);
        expect(client.faults).toEqual([]);
        for (const turn of ['a', 'b', 'c']) {
          expect(soundOf(client, turn).equals(soundOf(whole.client, turn))).toBe(true);
          const ended = client.messages.filter((each) => each.type === 'ended' && each['turn'] === turn);
          expect(ended.map((each) => each['outcome'])).toEqual(['complete']);
        }
        expect(client.returns.every(({ exact }) => exact === true)).toBe(true);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  }, 60_000);
});

describe.each([
  ['µ-law', { format: 'mulaw' }],
  ['wav', { format: 'wav' }],
  ['flac', { format: 'flac' }],
] as const satisfies readonly (readonly [string, Preset])[])('a service that varies, %s', (name, preset) => {
  it('goes on near the word that was being heard, and says so', async () => {
    const whole = await run(WHOLE_TEXTS, preset, []);
    const { client } = await run(WHOLE_TEXTS, preset, [{ afterMs: 700, awayMs: 500 }], { ignored: ['seed'] });
    expect(client.faults).toEqual([]);
    const [back] = client.returns;
    expect([back!['exact'], back!['newContainer']]).toEqual([false, name === 'µ-law' ? undefined : true]);
    for (const turn of ['b', 'c'])
      expect(soundOf(client, turn).equals(soundOf(whole.client, turn))).toBe(true);
    const [had, again] = [soundOf(whole.client, 'a'), soundOf(client, 'a')];
    // A word of half a second comes twice at most, and nothing is left out.
    expect(again.length).toBeGreaterThanOrEqual(had.length);
    expect(again.length).toBeLessThan(had.length + (name === 'µ-law' ? 4000 : 40_000));
    const marks = { wav: 'RIFF', flac: 'fLaC' };
    if (name !== 'µ-law') expect(again.lastIndexOf(marks[name])).toBeGreaterThan(0);
  }, 60_000);
});

describe('an instance that stops', () => {
  const leave = async (script: Script, leaves: readonly { afterMs: number; deadlineMs: number }[]) => {
    const journal = createMemoryJournal();
    const preset: Preset = { format: 'mulaw' };
    let rig = openResumableRig({ preset, auto, journal });
    const { clock, client } = rig;
    for (const [atMs, message] of script) clock.after(atMs, () => client.send(message));
    for (const { afterMs, deadlineMs } of leaves) {
      await clock.run(afterMs);
      rig.connection.drain(deadlineMs);
      for (let ms = 0; ms < deadlineMs && rig.closes.length === 0; ms += 100) await clock.run(100);
      expect(rig.closes).toEqual([1012]);
      await clock.run(300);
      rig = await goOnElsewhere(rig, { journal, preset, auto });
    }
    await clock.run(15_000);
    rig.stop();
    return { client, journal };
  };

  it('has its sessions go on at others with the very byte, whatever is being heard, and says so', async () => {
    const whole = await leave(WHOLE_TEXTS, []);
    const leaving = fc.record({
      afterMs: fc.integer({ min: 1, max: 3000 }),
      deadlineMs: fc.integer({ min: 300, max: 6000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(leaving, { minLength: 1, maxLength: 3 }), async (leaves) => {
        const { client } = await leave(WHOLE_TEXTS, leaves);
        expect(client.faults).toEqual([]);
        for (const turn of ['a', 'b', 'c'])
          expect(soundOf(client, turn).equals(soundOf(whole.client, turn))).toBe(true);
        const ended = client.messages.filter(({ type }) => type === 'ended').map((each) => each['outcome']);
        expect(ended).toEqual(['complete', 'complete', 'complete']);
        const told = client.messages.filter(({ type }) => type === 'goaway').map((each) => each['resume']);
        expect(told).toEqual(leaves.map(() => true));
        expect(client.returns.every(({ exact }) => exact === true)).toBe(true);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  }, 60_000);

  it('lets a session go at once that is silent, and one whose client is away', async () => {
    for (const isAway of [false, true]) {
      const journal = createMemoryJournal();
      const rig = openResumableRig({ preset: { format: 'mulaw' }, auto, journal });
      const { clock, client } = rig;
      await clock.run(500);
      if (isAway) client.socket!.lose();
      rig.connection.drain(60_000);
      await clock.run(10);
      expect(rig.closes).toEqual([1012]);
      const next = await goOnElsewhere(rig, { journal, preset: { format: 'mulaw' }, auto });
      client.send({ type: 'speak', turn: 'x', text: 'Here I am again.' });
      await clock.run(10_000);
      expect(client.messages.filter(({ type }) => type === 'ended')).toMatchObject([{ outcome: 'complete' }]);
      next.stop();
    }
  });

  it('closes as ever where the journal does not answer', async () => {
    const journal = createMemoryJournal();
    const rig = openResumableRig({ preset: { format: 'mulaw' }, auto, journal });
    await rig.clock.run(500);
    journal.fate = 'refused';
    rig.connection.drain(60_000);
    await rig.clock.run(10);
    expect(rig.closes).toEqual([1012]);
    rig.stop();
  });
});

describe.each([
  ['µ-law', {}],
  ['a burst', { pace: 'burst' }],
  ['with a list of all words', { wordList: 'final' }],
] as const satisfies readonly (readonly [string, Preset])[])(
  'an instance that dies at any message, %s',
  (_name, more) => {
    const preset: Preset = { format: 'mulaw', ...more };
    const script: Script = [
      ...WHOLE_TEXTS,
      [1500, { type: 'mark', turn: 'b', name: 'end of b' }],
      [5200, { type: 'ping', id: 'between' }],
    ];
    const momentsOf = async () => {
      const whole = openResumableRig({ preset, auto, journal: createMemoryJournal() });
      for (const [atMs, message] of script) whole.clock.after(atMs, () => whole.client.send(message));
      const moments: number[] = [];
      for (let ms = 1, before = 0; ms < 10_000; ms += 1) {
        await whole.clock.run(1);
        if (whole.client.messages.length > before) moments.push(ms);
        before = whole.client.messages.length;
      }
      whole.stop();
      return moments;
    };

    const judge = async (kills: readonly { afterMs: number; awayMs: number }[]) => {
      const { client } = await run(script, preset, kills);
      expect(client.faults).toEqual([]);
      const count = (type: string, turn: string) =>
        client.messages.filter((each) => each.type === type && each['turn'] === turn).length;
      for (const turn of ['a', 'b', 'c']) {
        expect([...kills, turn, count('ended', turn)]).toEqual([...kills, turn, 1]);
        expect([...kills, turn, count('heard', turn) > 0]).toEqual([...kills, turn, true]);
        if (turn !== 'c') expect([...kills, turn, count('mark', turn) > 0]).toEqual([...kills, turn, true]);
      }
      // Behind the last one nothing follows, unless it is asked for.
      if (!('wordList' in more)) expect([...kills, count('heard', 'c')]).toEqual([...kills, 1]);
    };

    it('says no turn again that has ended, and its marks and `heard` come', async () => {
      const moments = await momentsOf();
      expect(moments.length).toBeGreaterThan(10);
      for (const atMs of moments)
        for (const behindMs of [1, 30, 150]) {
          const first = { afterMs: atMs + behindMs, awayMs: 300 };
          await judge([first]);
          for (const afterMs of [1, 30, 150]) await judge([first, { afterMs, awayMs: 300 }]);
        }
    }, 120_000);
    it('nor where the one that takes over dies as well, in or behind the same turn', async () => {
      for (let afterMs = 20; afterMs < 2000; afterMs += 40) {
        const kills = [
          { afterMs: 1150, awayMs: 300 },
          { afterMs, awayMs: 300 },
        ];
        const { client } = await run(
          [[1000, { type: 'speak', turn: 'a', text: 'One whole text.' }]],
          preset,
          kills,
        );
        expect(client.faults).toEqual([]);
        const types = client.messages.filter((each) => each['turn'] === 'a').map(({ type }) => type);
        expect([...kills, types.filter((type) => type !== 'words')]).toEqual([
          ...kills,
          ['started', 'ended', 'heard'],
        ]);
      }
    }, 120_000);
  },
);

it('appended text is not lost, and no turn ends twice', async () => {
  const script: Script = [
    ...['And ', 'now ', 'by ', 'tok', 'ens. ', 'A second ', 'sentence ', 'follows. '].map(
      (text, at) => [100 + 60 * at, { type: 'append', turn: 'b', text }] as const,
    ),
    [900, { type: 'end', turn: 'b' }],
    [920, { type: 'mark', turn: 'b', name: 'end of b' }],
    [2500, { type: 'speak', turn: 'c', text: 'And a third.' }],
  ];
  await fc.assert(
    fc.asyncProperty(killsOf, async (kills) => {
      const { client } = await run(script, { format: 'mulaw' }, kills);
      expect(client.faults).toEqual([]);
      for (const turn of ['b', 'c']) {
        const of = client.messages.filter((each) => each['turn'] === turn);
        expect(of.filter(({ type }) => type === 'ended').map((each) => each['outcome'])).toEqual([
          'complete',
        ]);
        expect(of.filter(({ type }) => type === 'heard').length).toBeGreaterThanOrEqual(1);
      }
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 60_000);
