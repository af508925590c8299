// What is written of a session, and when: few writes, in order, and nothing is acknowledged before it is written.
import { describe, expect, it } from 'vitest';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { JournalWriter } from '../../../src/gateway/journal/journal-writer.ts';
import { readJournal } from '../../../src/gateway/journal/session-journal.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryJournal } from '../../support/memory-journal.ts';

const OPENING = { userId: 'anna', dialect: 'native', preset: {}, salt: 's' };

function open(leg = false) {
  const clock = createFakeClock();
  const journal = createMemoryJournal();
  const lost: number[] = [];
  const left: string[] = [];
  let told = 1;
  const writer = new JournalWriter({
    hold: journal.open('x'),
    begins: OPENING,
    clock,
    forMs: 120_000,
    metrics: { journalWritten() {}, journalLeft: () => left.push('left') },
    look: () => ({ told, token: 1, heard: leg ? { turn: 'a', ms: clock.now() } : undefined, provenN: 0 }),
    onLost: () => lost.push(clock.now()),
  });
  const say = (event: Parameters<JournalWriter['tell']>[1]) => writer.tell(++told, event);
  return { clock, journal, writer, lost, left, say };
}
const ENDED = {
  type: 'ended',
  turn: 'a',
  outcome: 'complete',
  audioMs: 1,
  sentMs: 1,
  requests: 1,
  resumes: 0,
  cached: false,
} as const;
const HEARD = {
  type: 'heard',
  turn: 'a',
  playedMs: 1,
  playedBy: 'clock',
  spokenText: 'x',
  remainingText: '',
} as const;
/** A turn has ended, and some of it is still to be heard. `behind`: what else its client has said. */
async function unheard(behind: readonly ClientCommand[] = []) {
  const rig = open();
  const said: ClientCommand[] = [{ type: 'speak', turn: 'a', text: 'Hello.' }, ...behind];
  for (const [at, command] of said.entries()) rig.writer.took(at + 1, command);
  await rig.clock.run(1000);
  rig.say({ type: 'started', turn: 'a' } as never);
  rig.say(ENDED);
  await rig.clock.run(100);
  return rig;
}
const append = (text: string) => ({ type: 'append', turn: 'a', text }) as const;

describe('a journal', () => {
  it('is asked for whenever a client comes back: an instance that stood still has not noticed that another one has it', async () => {
    const { clock, journal, writer, lost } = open();
    await clock.run(10);
    expect(await writer.settled()).toBe('settled');
    expect(lost).toEqual([]);
    await journal.claim('x', () => {});
    expect(await writer.settled()).toBe('lost');
    expect(lost).toHaveLength(1);
    expect(await writer.settled()).toBe('lost');
  });
  it('that does not answer keeps no client waiting', async () => {
    const { clock, journal, writer, lost } = open();
    await clock.run(10);
    journal.fate = 'refused';
    writer.took(1, append('one '));
    expect(await writer.settled()).toBe('settled');
    expect(lost).toEqual([]);
  });
  it('has a whole text in two writes, the first at once', async () => {
    const { clock, journal, writer, say } = open();
    await clock.run(1000);
    expect(journal.writes).toHaveLength(1);
    writer.took(1, { type: 'speak', turn: 'a', text: 'Hello.' });
    expect(writer.acknowledged()).toBe(0);
    await clock.run(1);
    expect(writer.acknowledged()).toBe(1);
    await clock.run(2000);
    say({ type: 'started', turn: 'a' } as never);
    say(ENDED);
    await clock.run(1);
    expect(readJournal(journal.writes.map(({ entry }) => entry!))?.turns[0]).toMatchObject({
      ended: [3, ENDED],
    });
    await clock.run(200);
    say(HEARD);
    await clock.run(5000);
    expect(journal.writes).toHaveLength(3);
    // With whatever comes next.
    writer.took(2, append('more'));
    await clock.run(1);
    const state = readJournal(journal.writes.map(({ entry }) => entry!));
    expect(state?.turns[0]).toMatchObject({ ended: [3, ENDED], heard: [4, HEARD] });
  });
  it('has the end of a turn at once, and what was heard of one that was cut', async () => {
    const { clock, journal, writer, say } = open();
    const written = () => readJournal(journal.writes.map(({ entry }) => entry!))!.turns[0];
    writer.took(1, { type: 'speak', turn: 'a', text: 'Hello.' });
    await clock.run(1);
    writer.took(2, { type: 'cancel', turn: 'a' });
    await clock.run(100);
    say({ ...ENDED, outcome: 'cancelled' });
    await clock.run(1);
    expect(written()).toMatchObject({ ended: [2, { outcome: 'cancelled' }] });
    await clock.run(200);
    say({ ...HEARD, spokenText: 'Hel', remainingText: 'lo.' });
    await clock.run(50);
    expect(written()).toMatchObject({ heard: [3, { remainingText: 'lo.' }] });
  });
  it('has what stands between an end and its `heard` at once: else another instance would take it for `heard`', async () => {
    const { clock, journal, writer, say } = await unheard();
    const writes = journal.writes.length;
    writer.took(2, undefined);
    say({ type: 'pong' });
    await clock.run(1);
    expect(journal.writes).toHaveLength(writes + 1);
  });
  it.each([
    ['a turn that is not written yet begins', { type: 'started', turn: 'b' }],
    ['a mark that is not written yet is answered', { type: 'mark', turn: 'a', name: 'm', outcome: 'played' }],
    ['a setting that is not written yet is answered', { type: 'configured' }],
  ])('has it at once where %s', async (_what, event) => {
    const { clock, journal, writer, say } = await unheard();
    const writes = journal.writes.length;
    writer.took(2, { type: 'speak', turn: 'b', text: 'Hello again.' });
    say(event as never);
    await clock.run(1);
    expect(journal.writes).toHaveLength(writes + 1);
  });
  it('is not left without what its client has said where the session ends while it is released', async () => {
    const { clock, journal, writer } = open();
    await clock.run(1000);
    journal.delay = () => new Promise((resolve) => clock.after(30, resolve));
    writer.took(1, append('one '));
    await clock.run(10);
    writer.took(2, append('two '));
    const released = writer.release();
    expect(await writer.settled()).toBe('released');
    writer.close();
    await clock.run(200);
    await released;
    const state = readJournal(journal.writes.map(({ entry }) => entry!));
    expect(state).toMatchObject({ taken: 1, commands: [{ command: { text: 'one ' } }] });
  });
  it('has `heard` soon where another turn waits', async () => {
    const { clock, journal, say } = await unheard([{ type: 'speak', turn: 'b', text: 'Hello again.' }]);
    say(HEARD);
    await clock.run(250);
    expect(readJournal(journal.writes.map(({ entry }) => entry!))?.turns[0]).toMatchObject({
      heard: [4, HEARD],
    });
  });
  it('is written no more often than is bearable, whatever ends, and waits for a place that is away', async () => {
    const { clock, journal, writer, say } = open();
    await clock.run(1000);
    const before = journal.writes.length;
    for (let at = 0; at < 1000; at += 1) {
      say(ENDED);
      await clock.run(1);
    }
    expect(journal.writes.length - before).toBeLessThanOrEqual(51);
    journal.fate = 'refused';
    await clock.run(50);
    const refused = journal.writes.length;
    for (let at = 0; at < 5000; at += 1) {
      say(ENDED);
      await clock.run(1);
    }
    expect(journal.writes.length - refused).toBeLessThanOrEqual(6);
    expect(writer.isOn()).toBe(true);
  });
  it('has the end of a turn also where it is told while something is being written', async () => {
    const { clock, journal, writer, say } = open();
    writer.took(1, { type: 'speak', turn: 'a', text: 'Hello.' });
    await clock.run(1000);
    journal.delay = () => new Promise((resolve) => clock.after(30, resolve));
    writer.took(2, { type: 'mark', turn: 'a', name: 'm' });
    await clock.run(10);
    say(ENDED);
    await clock.run(100);
    expect(readJournal(journal.writes.map(({ entry }) => entry!))?.turns[0]).toMatchObject({
      ended: [2, ENDED],
    });
  });
  it('has where a turn of a call begins at once', async () => {
    const { clock, journal, writer, say } = open(true);
    writer.took(1, { type: 'attach', leg: { callSid: 'c' } });
    say({ type: 'attached', leg: 'l', kind: 'twilio', callSid: 'c', format: 'mulaw', sampleRate: 8000 });
    writer.took(2, { type: 'speak', turn: 'a', text: 'Hello.' });
    await clock.run(500);
    const timings = { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 0 };
    say({ type: 'started', turn: 'a', format: 'mulaw', sampleRate: 8000, seed: 1, timings });
    await clock.run(1);
    const state = readJournal(journal.writes.map(({ entry }) => entry!));
    expect(state?.turns[0]).toMatchObject({ startedN: 3 });
  });
  it('has appended text in four writes a second, whatever comes', async () => {
    const { clock, journal, writer } = open();
    for (let n = 1; n <= 3000; n += 1) {
      writer.took(n, append('to '));
      await clock.run(1);
    }
    await clock.run(500);
    expect(journal.writes.length).toBeLessThanOrEqual(14);
    expect(writer.acknowledged()).toBe(3000);
    const [first] = readJournal(journal.writes.map(({ entry }) => entry!))!.commands;
    expect((first!.command as { text: string }).text.startsWith('to to ')).toBe(true);
  });
  it('acknowledges nothing while it cannot be written, and has all of it afterwards', async () => {
    const { clock, journal, writer } = open();
    await clock.run(300);
    journal.fate = 'refused';
    for (let n = 1; n <= 20; n += 1) {
      writer.took(n, append(`${n} `));
      await clock.run(500);
    }
    expect(writer.acknowledged()).toBe(0);
    let settled = 'no';
    void writer.settled().then(() => {
      settled = 'yes';
    });
    journal.fate = 'written';
    await clock.run(1500);
    expect([writer.acknowledged(), settled]).toEqual([20, 'yes']);
    journal.fate = 'refused';
    writer.took(21, append('21 '));
    const waited = writer.settled();
    await clock.run(1100);
    await waited;
    journal.fate = 'written';
    await clock.run(1500);
    const state = readJournal([journal.writes.at(-1)!.entry!]);
    expect(state?.commands.map(({ command }) => (command as { text: string }).text).join('')).toBe(
      Array.from({ length: 21 }, (_, at) => `${at + 1} `).join(''),
    );
  });
  it('is written anew where all of it is forgotten', async () => {
    const { clock, journal, writer } = open();
    writer.took(1, append('one '));
    await clock.run(1000);
    journal.fate = 'forgotten';
    writer.took(2, append('two '));
    await clock.run(1000);
    expect(journal.writes.at(-1)).toMatchObject({ how: 'anew', entry: { state: { taken: 2 } } });
  });
  it('tells when another instance has the session', async () => {
    const { clock, journal, writer, lost } = open();
    await clock.run(300);
    await journal.claim('x', () => {});
    writer.sweep(clock.now());
    expect(lost).toEqual([]);
    await clock.run(5000); // it was stopped, and goes on
    writer.sweep(clock.now());
    await clock.run(1);
    expect(lost).toHaveLength(1);
  });
  it('lives on while nothing is said', async () => {
    const { clock, journal, writer } = open();
    for (let at = 0; at < 100; at += 1) {
      await clock.run(1000);
      writer.sweep(clock.now());
    }
    expect(journal.writes.filter(({ how }) => how === 'beat')).toHaveLength(2);
  });
  it('is given up where it would be too long', async () => {
    const { clock, journal, writer, left } = open();
    writer.took(1, { type: 'speak', turn: 'a', text: 'x'.repeat(1_200_000) });
    await clock.run(1000);
    expect(left).toEqual(['left']);
    expect(writer.acknowledged()).toBe(1);
    expect(await journal.has('x')).toBe(false);
  });
});
