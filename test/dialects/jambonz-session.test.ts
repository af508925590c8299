// jambonz's streaming speech of a custom vendor: conversations as jambonz holds them, interruptions, and hostile clients.
import { describe, expect, it } from 'vitest';
import { createCredentials } from '../../src/access/credentials.ts';
import { AppError } from '../../src/base/app-error.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { jambonzDialect } from '../../src/dialects/jambonz-dialect.ts';
import { speechMp3 } from '../support/codecs.ts';
import { type DialectOnSession, startDialectOnSession } from '../support/dialect-on-session.ts';
import {
  audioMsOf,
  JAMBONZ_TRANSCRIPTS,
  type JambonzTranscript,
  MS_PER_CHARACTER,
  readTranscript,
} from '../support/jambonz-transcript.ts';
import { atOnce, type MemoryRequest } from '../support/memory-upstream.ts';
import { ended, failure } from '../support/session-events.ts';
import { trialSize } from '../support/trial-size.ts';
import { CLEAR, enter, FLUSH, openCodec, PATH, presetOf, stream } from './jambonz-rig.ts';

const INTERRUPTS = trialSize(1000, 200);
const MESSAGES = trialSize(100_000, 20_000);

const speak = (request: MemoryRequest) =>
  atOnce((text) => speechMp3(text.length * MS_PER_CHARACTER))(request);
const bytesIn = (session: DialectOnSession, from: number) =>
  session.frames
    .slice(from)
    .reduce((sum, frame) => sum + (frame.kind === 'audio' ? frame.bytes.length : 0), 0);

/** Longer than any turn of these conversations. */
const LONG_MS = 20_000;

async function play(name: JambonzTranscript): Promise<void> {
  let answers: string | number = 'speech';
  const held: MemoryRequest[] = [];
  const auto = (request: MemoryRequest) => {
    if (answers === 'later') held.push(request);
    else if (typeof answers === 'number')
      request.fail(new AppError('upstream_rate_limited', 'The speech service takes no more now.'));
    else speak(request);
  };
  let session: DialectOnSession | undefined;
  let rate = 0;
  let sinceClear = 0;
  let texts = 0;
  let key = '';
  const runTo = async (atMs: number) => {
    if (session !== undefined) await session.live.run(Math.max(0, 1000 + atMs - session.live.clock.now()));
  };
  const lines = readTranscript(name);
  for (const [at, line] of lines.entries()) {
    if ('atMs' in line) await runTo(line.atMs);
    if (line.who === 'upstream') {
      answers = line.answers;
      if (answers === 'now') for (const request of held.splice(0)) speak(request);
    } else if (line.who === 'jambonz' && 'upgrade' in line) {
      key = line.key;
      if (key === 'right')
        session = startDialectOnSession(jambonzDialect, { path: PATH, query: line.upgrade, auto });
      rate = presetOf(line.upgrade).sampleRate!;
    } else if (line.who === 'jambonz') {
      session!.receive(line.message);
      if (line.message.type === 'clear') sinceClear = session!.frames.length;
    } else if ('message' in line) {
      await session!.live.run(50);
      const next = session!.frames.filter((frame) => frame.kind === 'text')[texts]!;
      texts += 1;
      expect(JSON.parse(next.text)).toMatchObject(line.message);
    } else if ('audioMs' in line) {
      // As late as the next line of jambonz allows.
      const next = lines.slice(at).find((later) => 'atMs' in later) as { atMs: number } | undefined;
      await runTo(next?.atMs ?? LONG_MS);
      const ms = audioMsOf(bytesIn(session!, sinceClear), rate);
      expect(ms).toBeGreaterThanOrEqual(line.audioMs.from);
      expect(ms).toBeLessThanOrEqual(line.audioMs.to);
    } else if ('falls' in line) {
      const before = session!.frames.length;
      const next = lines.slice(at).find((later) => 'atMs' in later) as { atMs: number };
      await runTo(next.atMs);
      expect(session!.frames.slice(before)).toEqual([]);
    } else if ('closes' in line) {
      expect(session!.closed?.code).toBe(line.closes);
    } else {
      const credentials = createCredentials([{ userId: 'call', apiKey: 'right' }]);
      expect(enter()!.caller).toBe('headers');
      expect(() => credentials.identify({ authorization: [`Bearer ${key}`] })).toThrow(
        expect.objectContaining({ http: line.refuses }) as Error,
      );
    }
  }
  expect(session?.frames.filter((frame) => frame.kind === 'text').length ?? 0).toBe(texts);
  expect(session?.live.faults ?? []).toEqual([]);
}

describe('a conversation', () => {
  it.each(JAMBONZ_TRANSCRIPTS)('as in %s goes as it is written', async (name) => {
    await play(name);
  });

  it('survives a silence in which its turn ends by itself', async () => {
    const session = startDialectOnSession(jambonzDialect, { path: PATH, auto: speak });
    const long = 'This goes on and on, and nobody flushes it. '.repeat(20);
    session.receive(stream(long));
    await session.live.run(25_000); // its text has ended after 20 s; it still plays
    expect(session.live.said('ended')).toEqual([]);
    session.receive(stream('And then more.'));
    session.receive(FLUSH);
    await session.live.run(60_000);
    expect(session.live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['jambonz-1', 'complete'],
      ['jambonz-2', 'complete'],
    ]);
    expect(session.frames.filter((frame) => frame.kind === 'text')).toHaveLength(1);
  });

  it('goes on after texts that are too long, each told once', async () => {
    const session = startDialectOnSession(jambonzDialect, { path: PATH, auto: speak });
    for (let round = 0; round < 10; round += 1) {
      session.receive(stream('x'.repeat(100_001)));
      session.receive(round % 2 === 0 ? FLUSH : CLEAR);
    }
    const errors = session.frames.slice(1).map((frame) => (frame.kind === 'text' ? frame.text : 'audio'));
    expect(errors).toHaveLength(10);
    for (const error of errors) expect(error).toContain('text_full');
    for (const word of ['One.', 'Two.']) {
      session.receive(stream(word));
      session.receive(FLUSH);
    }
    await session.live.run(5000);
    expect(session.live.said('ended').map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
  });

  it('of many short flushes loses no word', async () => {
    const session = startDialectOnSession(jambonzDialect, { path: PATH, auto: speak });
    const words = Array.from({ length: 40 }, (_, at) => `Number ${at + 1}.`);
    for (const word of words) {
      session.receive(stream(word));
      session.receive(FLUSH);
    }
    await session.live.run(60_000);
    expect(
      session.live.upstream.requests
        .map(({ body }) => body.text)
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toBe(words.join(' '));
    expect(session.frames.filter((frame) => frame.kind === 'text')).toHaveLength(1);
  });
});

describe('an interruption', () => {
  it('at any moment is followed by no byte of what was before it, and frees the upstream', async () => {
    const random = seededNumbers(20_261_122, 38);
    const below = (most: number) => Math.floor(random() * most);
    const waiting: MemoryRequest[] = [];
    const session = startDialectOnSession(jambonzDialect, {
      path: PATH,
      query: 'sampleRate=8000',
      auto(request) {
        const fate = below(8);
        if (fate < 2) waiting.push(request);
        else if (fate > 2) speak(request);
        else request.send(speechMp3(500)); // and then nothing more
      },
    });
    let stale = 0;
    let heardRounds = 0;
    for (let round = 0; round < INTERRUPTS; round += 1) {
      const from = session.frames.length;
      for (let texts = 1 + below(3); texts > 0; texts -= 1) {
        session.receive(stream('Hello there, this is a sentence. '));
        if (below(2) === 0) session.receive(FLUSH);
        await session.live.run(below(60));
      }
      for (const request of waiting.splice(0)) if (below(2) === 0) speak(request);
      await session.live.run(below(200));
      if (session.frames.length > from) heardRounds += 1;
      const before = new Set(
        session.commands.flatMap((command) => ('turn' in command ? [command.turn] : [])),
      );
      session.receive(CLEAR);
      expect(session.live.upstream.live).toEqual([]);
      const cleared = session.frames.length;
      if (below(2) === 0) {
        await session.live.run(below(100));
        stale += session.frames.length - cleared;
      }
      session.receive(stream('Next. '));
      await session.live.run(below(40));
      stale += session.frames
        .slice(cleared)
        .filter((frame) => frame.kind === 'audio' && before.has(frame.turn)).length;
      session.receive(CLEAR);
    }
    expect(stale).toBe(0);
    expect(heardRounds).toBeGreaterThan(INTERRUPTS / 2);
    expect(session.live.faults).toEqual([]);
  });
});

describe('any client', () => {
  it('of hostile messages gets frames that jambonz can read, and asks only for what a session has', () => {
    const random = seededNumbers(20_261_122, 39);
    const below = (most: number) => Math.floor(random() * most);
    const { codec, commands, sent, receive } = openCodec();
    const open = new Set<string>();
    const closed = new Set<string>();
    let looked = 0;
    const frames = [
      '',
      '{',
      'null',
      '"stream"',
      '{"type":"stream","text":null}',
      '{"type":"stream","text":""}',
      '{"type":"__proto__"}',
      '{"__proto__":{"type":"clear"}}',
      '\u0000\ud800',
      `{"type":"stream","text":"${'x'.repeat(5000)}"}`,
      '{"type":"flush","text":"x"}',
      '{"type":"keepalive","n":1}',
    ];
    const look = () => {
      for (; looked < commands.length; looked += 1) {
        const command = commands[looked]!;
        if (command.type === 'cancel') {
          for (const turn of open) closed.add(turn);
          open.clear();
        } else if (command.type === 'append') {
          expect(closed.has(command.turn)).toBe(false);
          open.add(command.turn);
        } else if (command.type === 'end' || command.type === 'flush') {
          expect(open.has(command.turn)).toBe(true);
        }
      }
      expect(open.size).toBeLessThanOrEqual(7);
    };
    const turnsEnd = () => {
      for (const turn of [...open].slice(0, 1 + below(3))) {
        open.delete(turn);
        closed.add(turn);
        codec.event(ended(turn));
      }
    };
    for (let count = 0; count < MESSAGES; count += 1) {
      const act = below(20);
      if (act < 9) receive(stream(act < 3 ? ' ' : `word ${count} `));
      else if (act < 13) receive(FLUSH);
      else if (act < 14) {
        receive(CLEAR);
        look();
        // A session says so of each turn, whatever its state.
        for (const turn of [...closed].slice(-7)) codec.event(ended(turn));
      } else if (act < 18) codec.receive(frames[below(frames.length)]!);
      else if (act < 19) turnsEnd();
      else codec.event(failure('upstream_broken', `jambonz-${below(50)}`));
      look();
    }
    for (const message of sent) {
      const { type } = JSON.parse(message as string) as { type: string };
      if (type !== 'connect') expect(type).toBe('error');
    }
    expect(closed.size).toBeGreaterThan(MESSAGES / 100);
  });
});
