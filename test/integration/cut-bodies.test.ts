// Bodies of real speech that end properly and too early, before a whole gateway: they are asked for again and made whole, and
// where that fails the turn says so, with the words that were not said. Whole ones cost one request and lose no sample.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { toSpeechJob } from '../../src/engine/speech-job.ts';
import { createSpeechSource, type SpeechSource } from '../../src/engine/speech-source.ts';
import { VOICES } from '../../src/engine/voices.ts';
import { BODY_BYTES_FIELD } from '../../src/speech/body-bytes.ts';
import { espeakCommand } from '../../src/speech-program/speech-command.ts';
import { parseMp3 } from '../support/mp3-fixtures.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';
import type { Reply, Script } from '../support/scripted-upstream.ts';

const TEXTS = [
  'The last train to the coast leaves at nine, and the next one is tomorrow morning.',
  'Far below them, the river was a thin line of silver between the dark trees.',
  'Please bring two copies of the form and a photograph when you come back.',
];
const VOICE = VOICES[0]!.id;
/** How much of the body comes, and how. */
type Plan = {
  readonly part: number;
  readonly times: number;
  /** How the reply says that it is over; chunked when it is not given. */
  readonly ends?: 'by-length' | 'by-closing';
};
let plan: Plan = { part: 1, times: 0 };
let source: SpeechSource;
let gateway: RunningGateway;

async function bodyOf(request: object): Promise<Buffer> {
  const { job } = toSpeechJob({ voice: VOICE, ...request }, { below: () => 7 } as never);
  const { body, started } = source.open(job);
  await started;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
const cutBehind = (body: Buffer, part: number): Buffer => {
  const { frames } = parseMp3([body]);
  const lengths = frames.map(({ bytes }) => bytes.length);
  const first = body.length - lengths.reduce((sum, length) => sum + length);
  const kept = lengths.slice(0, Math.round(part * lengths.length));
  return body.subarray(0, first + kept.reduce((sum, length) => sum + length, 0));
};
/** The first `times` requests get a part of it, with a proper end. */
const speak: Script = async (reply: Reply) => {
  const whole = await bodyOf(reply.request.body as object);
  const isCut = plan.times > 0;
  plan = { ...plan, times: plan.times - 1 };
  const body = isCut ? cutBehind(whole, plan.part) : whole;
  if (plan.ends === 'by-closing') {
    reply.raw('HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\nconnection: close\r\n\r\n');
    reply.raw(body);
    reply.leave();
    return;
  }
  const length = { 'content-length': String(body.length) };
  reply.start(200, { 'content-type': 'audio/mpeg', ...(plan.ends === 'by-length' ? length : {}) });
  for (let at = 0; at < body.length; at += 4000) reply.write(body.subarray(at, at + 4000));
  reply.end();
};

beforeAll(async () => {
  source = await createSpeechSource({
    command: espeakCommand(),
    clock: systemClock,
    log: silentLog,
    readerStallMs: 60_000,
  });
  await source.ready;
  gateway = await startRunningGateway({ script: speak });
  // The program of the gateway that says the same is started by its first speech.
  await spoken('warm', TEXTS[0]!, { part: 1, times: 0 });
});
afterAll(async () => {
  await gateway.close();
  await source.close();
});

/** A machine that is busy elsewhere may leave no time for the comparison with the reference; the gateway counts such bodies. */
const MAX_TRIES = 8;
const TRIES_MS = 120_000;

/** A turn whose bodies were judged by their words, in time. */
async function spoken(turn: string, text: string, how: Plan) {
  const unproved = async () => (await gateway.metric('voxgate_whole_bodies_total{by="nothing"}')) || 0;
  for (let tries = 1; ; tries += 1) {
    const before = await unproved();
    const said = await spokenOnce(turn, text, how);
    if (tries === MAX_TRIES || (await unproved()) === before) return said;
  }
}
async function spokenOnce(turn: string, text: string, how: Plan) {
  plan = how;
  const probe = await gateway.session('pace=burst&format=raw&sampleRate=24000');
  probe.send({ type: 'speak', turn, text, language: 'english', seed: 7 });
  const ended = await probe.ended(turn);
  const heard = await probe.event('heard', (event) => event.turn === turn);
  return { ended, heard, audio: probe.audioOf(turn), errors: probe.events('error').map(({ code }) => code) };
}
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

describe('a body that ends properly', { timeout: TRIES_MS }, () => {
  it.each(TEXTS)('and is whole is taken for whole at once: %s', async (text) => {
    const { ended, heard, errors } = await spoken('whole', text, { part: 1, times: 0 });
    expect([ended.outcome, ended.requests, ended.resumes, errors]).toEqual(['complete', 1, 0, []]);
    expect(heard.remainingText).toBe('');
  });

  it.each([0.3, 0.5, 0.7, 0.85])('after %s of its audio is made whole, to the sample', async (part) => {
    const text = TEXTS[1]!;
    const whole = await spoken('whole', text, { part: 1, times: 0 });
    const { ended, heard, audio, errors } = await spoken('cut', text, { part, times: 1 });
    expect([ended.outcome, ended.requests, ended.resumes, errors]).toEqual(['complete', 2, 1, []]);
    expect(heard.remainingText).toBe('');
    expect(Buffer.compare(audio, whole.audio)).toBe(0);
  });

  it.each(['by-length', 'by-closing'] as const)(
    '%s and too early is asked for again as well',
    async (ends) => {
      const { ended, heard } = await spoken('cut', TEXTS[1]!, { part: 0.6, times: 1, ends });
      expect([ended.outcome, ended.requests, heard.remainingText]).toEqual(['complete', 2, '']);
    },
  );

  it.each([0.3, 0.5, 0.7, 0.85])(
    'after %s of its audio each time is truncated, and the words that are missing are told',
    async (part) => {
      const text = TEXTS[2]!;
      const { ended, heard, errors } = await spoken('short', text, { part, times: 9 });
      expect([ended.outcome, errors]).toEqual(['truncated', ['upstream_broken']]);
      const missing = wordsOf(heard.remainingText!).length;
      const all = wordsOf(text).length;
      expect(missing).toBeGreaterThan(0);
      // Of the words, about as many as of the audio.
      expect(Math.abs(missing / all - (1 - part))).toBeLessThan(0.2);
      expect(`${heard.spokenText}${heard.remainingText}`.replace(/\s+/g, ' ')).toBe(text);
    },
  );
});

describe('a body that tells its own length', () => {
  it('is held against it, and against nothing else', async () => {
    const telling = await startRunningGateway({
      script: async (reply) => {
        const whole = await bodyOf(reply.request.body as object);
        expect(reply.request.headers.te).toBe('trailers');
        reply.start(200, { 'content-type': 'audio/mpeg', trailer: BODY_BYTES_FIELD });
        const isFirst = telling.upstream.requests.length === 1;
        reply.write(isFirst ? cutBehind(whole, 0.5) : whole);
        reply.end({ [BODY_BYTES_FIELD]: String(whole.length) });
      },
    });
    try {
      const probe = await telling.session('pace=burst&format=raw');
      probe.send({ type: 'speak', turn: 'a', text: TEXTS[0], seed: 7 });
      expect(await probe.ended('a')).toMatchObject({ outcome: 'complete', requests: 2, resumes: 1 });
      probe.send({ type: 'speak', turn: 'b', text: TEXTS[1], seed: 7 });
      expect(await probe.ended('b')).toMatchObject({ outcome: 'complete', requests: 1 });
      expect(await telling.metric('voxgate_whole_bodies_total{by="told"}')).toBe(2);
      expect(await telling.metric('voxgate_doubtful_bodies_total{doubt="bytes-missing"}')).toBe(1);
    } finally {
      await telling.close();
    }
  });
});
