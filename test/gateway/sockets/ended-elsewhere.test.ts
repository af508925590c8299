// A turn that an instance which is gone had begun, and that ends at the next one before it is heard again there: its client is
// told what was heard of it, once, and never more than it had received.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import type { Preset } from '../../../src/dialects/native-messages.ts';
import type { LegBroker } from '../../../src/session/leg-broker.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { type ElsewhereOptions, goOnElsewhere } from '../../support/go-on-elsewhere.ts';
import { createMemoryJournal } from '../../support/memory-journal.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { type CountingClient, openResumableRig } from '../../support/resumable-rig.ts';
import { silentLeg } from '../../support/silent-leg.ts';

const TEXT =
  'It is cut in its second word or so, and the rest of it nobody wants to hear any more, as the one who asked has gone on to something else by then.';
const auto = atOnce((text) => speechMp3(600 + 20 * text.length));
const silent = () => {};

type Message = Readonly<Record<string, unknown>>;
type Elsewhere = Partial<Omit<ElsewhereOptions, 'journal' | 'preset'>>;

/** What a client says, when its instance dies, what it says meanwhile, and where its session goes on. */
type Course = {
  readonly preset: Preset;
  readonly says: readonly (readonly [atMs: number, message: Message])[];
  readonly killedAtMs: number;
  readonly deadFromMs?: number;
  readonly meanwhile?: readonly Message[];
  readonly elsewhere?: Elsewhere;
  readonly afterwards?: readonly Message[];
};

async function take({ preset, says, killedAtMs, ...course }: Course) {
  const { deadFromMs, meanwhile, elsewhere, afterwards } = course;
  const journal = createMemoryJournal();
  const rig = openResumableRig({ preset, auto, journal });
  const { clock, client } = rig;
  for (const [atMs, message] of says) clock.after(atMs, () => client.send(message));
  if (deadFromMs !== undefined)
    clock.after(deadFromMs, () => {
      client.socket!.downFrames = 0;
    });
  await clock.run(killedAtMs);
  rig.kill();
  for (const message of meanwhile ?? []) client.send(message);
  await clock.run(500);
  const next = await goOnElsewhere(rig, { journal, preset, auto, ...elsewhere });
  await clock.run(100);
  for (const message of afterwards ?? []) client.send(message);
  await clock.run(8000);
  next.stop();
  expect(client.faults).toEqual([]);
  const said = saidOf(client, 'a');
  expect(said.ended['audioMs']).toBeGreaterThanOrEqual(said.ended['sentMs'] as number);
  expect(said.ended['sentMs']).toBeGreaterThanOrEqual(said.heard['playedMs'] as number);
  return { ...said, client };
}

function saidOf({ messages }: CountingClient, turn: string) {
  const of = messages.filter((each) => each['turn'] === turn);
  const last = (type: string) => of.findLast((each) => each.type === type);
  const [ended, heard] = [last('ended'), last('heard')];
  const types = of.map(({ type }) => type).filter((type) => type !== 'error' && type !== 'queued');
  return { types, ended: ended as Message, heard: heard as Message };
}

const SPEAK: Course['says'][number] = [0, { type: 'speak', turn: 'a', text: TEXT }];
const CANCEL = { type: 'cancel', turn: 'a' };

describe('a turn that is cancelled while its session moves', () => {
  it.each([
    ['µ-law', { format: 'mulaw' }, 'repeats'],
    ['raw', { format: 'raw', sampleRate: 16_000 }, 'repeats'],
    ['A-law of a service that varies', { format: 'alaw' }, 'varies'],
    ['wav', { format: 'wav' }, 'repeats'],
  ] as const)('ends with `heard`, %s', async (name, preset, kind) => {
    const { types, ended, heard } = await take({
      preset,
      says: [SPEAK, [0, { type: 'mark', turn: 'a', name: 'end of a' }]],
      killedAtMs: 900,
      meanwhile: [CANCEL],
      elsewhere: kind === 'varies' ? { service: { ignored: ['seed'] } } : {},
    });
    expect(types).toEqual(['started', 'ended', 'mark', 'heard']);
    expect(ended).toMatchObject({ type: 'ended', outcome: 'cancelled' });
    // A container tells no time: what was heard at the last write.
    const leastMs = name === 'wav' ? 0 : 900;
    expect(heard['playedMs']).toBeGreaterThanOrEqual(leastMs);
    expect(heard['playedMs']).toBeLessThanOrEqual(900 + 200);
    expect(ended['sentMs']).toBeGreaterThanOrEqual(heard['playedMs'] as number);
    expect(`${String(heard['spokenText'])}${String(heard['remainingText'])}`).toBe(TEXT);
    if (leastMs > 0) expect(heard['spokenText']).toMatch(/^It is cut/);
  });

  it.each([
    ['at once', auto],
    ['later', silent],
  ] as const)('was heard as far as its client says, where it is made again %s', async (_when, service) => {
    const course = { preset: { format: 'mulaw' }, says: [SPEAK], killedAtMs: 900 } as const;
    const elsewhere = { auto: service };
    const cut = { type: 'cancel', turn: 'a', playedMs: 400 };
    const meanwhile = await take({ ...course, meanwhile: [cut], elsewhere });
    expect(meanwhile.heard).toMatchObject({ playedMs: 400, playedBy: 'client' });
    const paused = await take({
      ...course,
      says: [SPEAK, [900, { type: 'pause', turn: 'a', playedMs: 300 }]],
      killedAtMs: 950,
      meanwhile: [CANCEL],
      elsewhere,
    });
    expect(paused.heard).toMatchObject({ playedMs: 300 });
  });

  it('was heard no further than it was received, whatever was noted, and whatever is claimed', async () => {
    const unread = await take({
      preset: { format: 'mulaw' },
      says: [SPEAK, [2000, { type: 'mark', turn: 'a', name: 'end' }]],
      deadFromMs: 400,
      killedAtMs: 2100,
      meanwhile: [CANCEL],
    });
    const receivedMs = unread.client.bytesOf('a') / 8;
    expect(receivedMs).toBeLessThan(700);
    expect(unread.ended).toMatchObject({ sentMs: receivedMs });
    expect(unread.heard).toMatchObject({ playedMs: receivedMs });
    const absurd = await take({
      preset: { format: 'mulaw' },
      says: [SPEAK],
      killedAtMs: 900,
      meanwhile: [CANCEL],
      elsewhere: { received: 999_999_999_999_999 },
    });
    expect(absurd.ended['sentMs']).toBeLessThanOrEqual(2000 * TEXT.length);
    expect(absurd.heard).toMatchObject({ spokenText: TEXT, remainingText: '' });
  });

  it('was heard as far as was noted where it comes faster than it is heard', async () => {
    const course: Course = {
      preset: { format: 'mulaw', pace: 'burst', flow: 'credit', leadMs: 2000 },
      says: [SPEAK, [200, { type: 'played', turn: 'a', ms: 150 }]],
      killedAtMs: 600,
    };
    const { heard, client } = await take({ ...course, meanwhile: [CANCEL] });
    expect(client.bytesOf('a') / 8).toBeGreaterThan(1500);
    expect(heard).toMatchObject({ playedMs: 150 });
    // Nor further when it has been made again.
    const later = await take({ ...course, afterwards: [CANCEL] });
    expect(later.heard).toMatchObject({ playedMs: 150 });
  });
});

const THREE =
  'First words are these and they go on for a while.\n\nSecond words come behind them and go on too.\n\nThird words come here and go on for a while as well.';
const [SECOND, THIRD] = THREE.split('\n\n').slice(1) as [string, string];
const SOUGHT: Course = {
  preset: { format: 'mulaw' },
  says: [
    [0, { type: 'speak', turn: 'a', text: THREE }],
    [1500, { type: 'seek', turn: 'a', paragraph: 2 }],
  ],
  killedAtMs: 2000,
};
const madeMs = (text: string) => 600 + 20 * text.length;

it('a call in which nothing is heard any more is not written of again and again', async () => {
  const journal = createMemoryJournal();
  const preset: Preset = { format: 'mulaw' };
  const legs = () => silentBroker('comes').broker;
  const rig = openResumableRig({ preset, auto, journal, legs });
  const { clock, client } = rig;
  client.send({ type: 'attach', leg: { callSid: 'CA1' } });
  client.send({ type: 'speak', turn: 'a', text: TEXT });
  await clock.run(2500);
  rig.kill();
  client.send(CANCEL);
  const next = await goOnElsewhere(rig, { journal, preset, auto: silent, legs });
  await clock.run(3000);
  expect(saidOf(client, 'a').types).toEqual(['started', 'ended', 'heard']);
  const written = journal.writes.length;
  await clock.run(10_000);
  expect(journal.writes.length).toBe(written);
  next.stop();
});

describe('a turn that has been moved in', () => {
  const course = SOUGHT;

  it('goes on where it was in that place, and nothing of it is left out', async () => {
    const { ended, heard, client } = await take(course);
    const soughtMs = client.messages.find(({ type }) => type === 'sought')!['atMs'] as number;
    expect(ended).toMatchObject({ outcome: 'complete' });
    // A word may come twice.
    expect(client.bytesOf('a') / 8).toBeGreaterThanOrEqual(soughtMs + madeMs(THIRD) - 60);
    expect(client.bytesOf('a') / 8).toBeLessThan(soughtMs + madeMs(THIRD) + 700);
    expect(heard).toMatchObject({ spokenText: THIRD, remainingText: '' });
  });
  it('has heard so much of that place when it is cancelled', async () => {
    const { heard } = await take({ ...course, meanwhile: [CANCEL], elsewhere: { auto: silent } });
    expect(heard['spokenText']).toMatch(/^Third/);
    expect(heard['spokenText']).not.toMatch(/go on/);
    expect(heard['playedMs']).toBeGreaterThan(1500);
  });
  it('goes on at the beginning of a place that is sought before it is heard again', async () => {
    const seek = { type: 'seek', turn: 'a', paragraph: 1 };
    const { ended, client, heard } = await take({ ...course, meanwhile: [seek] });
    expect(ended).toMatchObject({ outcome: 'complete' });
    const receivedMs = 2000 + 200;
    const rest = madeMs(`${SECOND}\n\n${THIRD}`);
    expect(client.bytesOf('a') / 8).toBeGreaterThan(receivedMs + rest - 600);
    expect(heard['spokenText']).toMatch(/^Second[\s\S]*well\.$/);
    const cut = await take({ ...course, meanwhile: [seek, CANCEL], elsewhere: { auto: silent } });
    expect(cut.heard).toMatchObject({ spokenText: '' });
  });
});

it.each(['wav', 'mp3', 'ogg', 'flac'] as const)(
  'nothing of a place that was sought is left out in %s, whose bytes tell no time',
  async (format) => {
    const { ended, client } = await take({ ...SOUGHT, preset: { format } });
    expect(ended).toMatchObject({ outcome: 'complete' });
    const whole = await take({ ...SOUGHT, says: [SOUGHT.says[0]!], preset: { format }, killedAtMs: 20 });
    const share = madeMs(THIRD) / madeMs(THREE);
    const received = client.bytesOf('a');
    expect(received).toBeGreaterThan(whole.client.bytesOf('a') * (share + 0.2));
  },
);

it('a place that is sought while the one before is made again comes at once', async () => {
  let asked = 0;
  const slow = (request: Parameters<typeof auto>[0]) => {
    asked += 1;
    if (asked > 1) return auto(request);
    request.send(speechMp3(700)); // and the rest does not come
  };
  const journal = createMemoryJournal();
  const preset = { format: 'mulaw' } as const;
  const rig = openResumableRig({ preset, auto, journal });
  const { clock, client } = rig;
  client.send({ type: 'speak', turn: 'a', text: THREE });
  await clock.run(2000);
  rig.kill();
  await clock.run(500);
  const next = await goOnElsewhere(rig, { journal, preset, auto: slow });
  await clock.run(200);
  const before = client.bytesOf('a');
  expect(before / 8).toBe(2200);
  client.send({ type: 'seek', turn: 'a', paragraph: 2 });
  await clock.run(300);
  expect((client.bytesOf('a') - before) / 8).toBeGreaterThanOrEqual(300);
  client.send(CANCEL);
  await clock.run(100);
  next.stop();
  expect(saidOf(client, 'a').heard['playedMs']).toBeGreaterThanOrEqual(2200 + 250);
  expect(saidOf(client, 'a').heard['playedMs']).toBeLessThanOrEqual(2200 + 350);
});

it('a turn that goes on at a word leaves nothing out, however often it does', async () => {
  const preset: Preset = { format: 'mulaw', captions: 'words' };
  const text = `${TEXT} ${TEXT}`;
  const run = async (lives: number) => {
    const journal = createMemoryJournal();
    let rig = openResumableRig({ preset, auto, journal });
    const { clock, client } = rig;
    client.send({ type: 'speak', turn: 'a', text });
    for (let life = 1; life < lives; life += 1) {
      await clock.run(1150);
      rig.kill();
      await clock.run(500);
      rig = await goOnElsewhere(rig, { journal, preset, auto, service: { ignored: ['seed'] } });
    }
    await clock.run(9000);
    rig.stop();
    expect(client.faults).toEqual([]);
    expect(saidOf(client, 'a').ended).toMatchObject({ outcome: 'complete' });
    const told = client.messages.flatMap((each) => (each.type === 'caption' ? each['words'] : []));
    const words = new Set((told as readonly { readonly charStart: number }[]).map((each) => each.charStart));
    expect(words.size).toBe(text.split(' ').length);
    return client.bytesOf('a') / 8;
  };
  const sentMs = [await run(1), await run(2), await run(3), await run(4)];
  for (const [at, more] of sentMs.slice(1).entries()) {
    expect(more).toBeGreaterThanOrEqual(sentMs[at]!);
    expect(more).toBeLessThan(sentMs[at]! + 700);
  }
  // A word was sent twice in one of them, so what follows is told apart from what is only as long.
  expect(sentMs.at(-1)).toBeGreaterThan(sentMs[0]! + 100);
});

it('a turn whose speech breaks off before it comes so far again was heard as far as it was received', async () => {
  const { ended, heard, client } = await take({
    preset: { format: 'mulaw' },
    says: [SPEAK],
    killedAtMs: 2500,
    elsewhere: {
      auto(request) {
        if (request.body.text !== TEXT) return request.fail(new AppError('upstream_broken', 'It broke off.'));
        request.send(speechMp3(1000));
        request.fail(new AppError('upstream_broken', 'It broke off.'));
      },
    },
  });
  expect(ended).toMatchObject({ outcome: 'truncated', sentMs: client.bytesOf('a') / 8 });
  expect(heard).toMatchObject({ playedMs: 2700 });
  expect(heard['spokenText']).toMatch(/^It is cut in its second word or so/);
});

it('a turn that is made shorter by another speech is whole all the same', async () => {
  const { ended, heard } = await take({
    preset: { format: 'mulaw' },
    says: [SPEAK],
    killedAtMs: 3200,
    elsewhere: { service: { ignored: ['seed'] }, auto: atOnce((text) => speechMp3(15 * text.length)) },
  });
  expect(ended).toMatchObject({ outcome: 'complete' });
  expect(heard).toMatchObject({ spokenText: TEXT, remainingText: '' });
  expect(heard['playedMs']).toBeLessThanOrEqual(ended['audioMs'] as number);
});

/** A leg that is there at once, or comes, or does not, when the test says so. */
function silentBroker(leg: 'comes' | 'waits') {
  let answer: Parameters<LegBroker['attach']>[2] | undefined;
  const look = {
    id: 'leg-1',
    callId: 'CA1',
    kind: 'twilio',
    audio: () => ({ format: 'mulaw', sampleRate: 8000 }) as const,
    leadMs: 300,
    reports: 'nothing',
  } as const;
  const come = () => answer!.onAttached(silentLeg(look));
  const broker: LegBroker = {
    tokenFor: () => 'token',
    attach(_user, _wanted, told) {
      answer = told;
      if (leg === 'comes') come();
      return () => {};
    },
  };
  const refuse = () => answer!.onRefused(new AppError('leg_not_found', 'None came.'));
  return { broker, come, refuse };
}

describe('a turn of a call, which has not come to the next instance yet', () => {
  const preset: Preset = { format: 'mulaw' };
  async function begin(says: Course['says'], killedAtMs: number) {
    const journal = createMemoryJournal();
    const first = silentBroker('comes');
    const rig = openResumableRig({ preset, auto, journal, legs: () => first.broker });
    const { clock, client } = rig;
    client.send({ type: 'attach', leg: { callSid: 'CA1' } });
    for (const [atMs, message] of says) clock.after(atMs, () => client.send(message));
    await clock.run(killedAtMs);
    rig.kill();
    await clock.run(500);
    return { journal, rig, clock, client };
  }
  const MARK = { type: 'mark', turn: 'a', name: 'end of a' };
  const TWO: Course['says'] = [SPEAK, [0, MARK], [0, { type: 'speak', turn: 'b', text: 'Behind it.' }]];

  it.each([
    ['is cancelled', 'comes later', 'cancelled'],
    ['is cancelled with all others', 'comes later', 'cancelled'],
    ['waits', 'is gone', 'truncated'],
  ] as const)('%s, and the call %s', async (what, becomes, outcome) => {
    // How far a call is is noted once a second.
    const { journal, rig, clock, client } = await begin(TWO, 2500);
    if (what === 'is cancelled') client.send({ ...CANCEL, playedMs: 700 });
    if (what === 'is cancelled with all others') client.send({ type: 'cancel' });
    const second = silentBroker('waits');
    const next = await goOnElsewhere(rig, { journal, preset, auto, legs: () => second.broker });
    await clock.run(100);
    if (becomes === 'comes later') second.come();
    else second.refuse();
    await clock.run(5000);
    next.stop();
    expect(client.faults).toEqual([]);
    const { types, ended, heard } = saidOf(client, 'a');
    expect(types).toEqual(['started', 'ended', 'mark', 'heard']);
    expect(ended).toMatchObject({ outcome });
    if (what === 'is cancelled') expect(heard).toMatchObject({ playedMs: 700, playedBy: 'client' });
    else expect(heard['playedMs']).toBeGreaterThan(1000);
    expect(heard['playedMs']).toBeLessThanOrEqual(2500);
    expect(heard['spokenText']).toMatch(/^It is cut/);
    const ofB = saidOf(client, 'b').types;
    expect(ofB.filter((type) => type === 'ended')).toHaveLength(1);
    expect(ofB.includes('heard')).toBe(what === 'is cancelled');
    // Nothing was asked for to end it.
    expect(next.upstream.requests.map(({ body }) => body.text)).toEqual(
      what === 'is cancelled' ? ['Behind it.'] : [],
    );
  });

  it('was heard from the place on that had been sought', async () => {
    const says: Course['says'] = [
      [0, { type: 'speak', turn: 'a', text: THREE }],
      [1000, { type: 'seek', turn: 'a', paragraph: 2 }],
    ];
    const { journal, rig, clock, client } = await begin(says, 2900);
    const second = silentBroker('waits');
    const next = await goOnElsewhere(rig, { journal, preset, auto, legs: () => second.broker });
    client.send(CANCEL);
    await clock.run(3000);
    next.stop();
    expect(client.faults).toEqual([]);
    expect(saidOf(client, 'a').heard['spokenText']).toMatch(/^Third/);
    const places = client.messages.filter(({ type }) => type === 'sought').map((each) => each['atMs']);
    expect(new Set(places).size).toBe(1);
  });

  it('answers its marks, too, where its client is away when the call turns out to be gone', async () => {
    const { journal, rig, clock, client } = await begin(TWO, 2500);
    const second = silentBroker('waits');
    const next = await goOnElsewhere(rig, { journal, preset, auto, legs: () => second.broker });
    await clock.run(100);
    client.socket!.lose();
    await clock.run(100);
    second.refuse();
    await clock.run(100);
    expect(next.comeBack()).toBeUndefined();
    await clock.run(5000);
    next.stop();
    expect(client.faults).toEqual([]);
    expect(saidOf(client, 'a').types).toEqual(['started', 'ended', 'mark', 'heard']);
  });

  it('says so between two turns, too, and where the next instance dies as well', async () => {
    // `a` is still being heard, and has ended.
    const x = [0, { type: 'speak', turn: 'x', text: 'Good morning.' }] as const;
    const between = await begin([x, [0, SPEAK[1]]], 640);
    expect(saidOf(between.client, 'a').types).toEqual(['started']);
    expect(saidOf(between.client, 'x').types).toEqual(['started', 'ended']);
    between.client.send(CANCEL);
    const legs = () => silentBroker('waits').broker;
    const next = await goOnElsewhere(between.rig, { journal: between.journal, preset, auto, legs });
    await between.clock.run(3000);
    next.stop();
    expect(saidOf(between.client, 'a').types).toEqual(['started', 'ended', 'heard']);
    expect(saidOf(between.client, 'a').heard['playedMs']).toBeLessThanOrEqual(300);

    const { journal, rig, clock, client } = await begin([SPEAK], 2500);
    const waiting = await goOnElsewhere(rig, { journal, preset, auto, legs });
    await clock.run(1000);
    waiting.kill();
    client.send(CANCEL);
    await clock.run(500);
    const third = await goOnElsewhere(waiting, { journal, preset, auto, legs });
    await clock.run(3000);
    third.stop();
    expect(client.faults).toEqual([]);
    expect(saidOf(client, 'a').types).toEqual(['started', 'ended', 'heard']);
    expect(saidOf(client, 'a').heard['playedMs']).toBeGreaterThan(1000);
  });
});
