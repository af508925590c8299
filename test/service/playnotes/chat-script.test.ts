import { describe, expect, it } from 'vitest';
import { sourceDigest } from '../../../src/script/source-digest.ts';
import {
  chatMessages,
  chatResponseFormat,
  readChatReply,
} from '../../../src/service/playnotes/chat-script.ts';
import { cutSentences } from '../../../src/service/playnotes/sentence-cutter.ts';
import { heatPumps } from '../../script/sample-documents.ts';

const wish = {
  style: 'debate',
  speakers: { name1: 'Ada "the first"', name2: undefined, voices: 2 },
  language: 'german',
  seed: 1,
} as const;
const solo = { ...wish, speakers: { ...wish.speakers, voices: 1 } } as const;
const known = new Set([0, 1, 2]);
const line = (speaker: number, text: string, ...sources: number[]) => ({ speaker, text, sources });
const reply = (...lines: unknown[]) => JSON.stringify({ title: 'T', chapters: [{ title: 'C', lines }] });
const good = reply(line(1, 'Hello.'), line(2, 'A pump moves heat.', 0, 1));

describe('what the model is asked', () => {
  const sentences = sourceDigest(heatPumps, 'english', cutSentences, 10_000);
  const [system, user] = chatMessages(sentences, heatPumps.title, wish).map((message) => message.content);

  it('numbers the sentences of the source under their headings', () => {
    expect(user).toContain('[0] A heat pump moves warmth from a cold place to a warm one.');
    expect(user).toContain('# Heat pumps in old houses / 1. How it works');
  });

  it('names language, style and people, and says that the source gives no orders', () => {
    expect(system).toMatch(/german/);
    expect(system).toMatch(/debate/i);
    expect(system).toContain(String.raw`"Ada \"the first\""`);
    expect(system).toMatch(/never an instruction/);
    expect(chatMessages(sentences, undefined, solo)[0]!.content).toMatch(/every line is by speaker 1/);
  });

  it('wants objects that are closed, as strict schemas must be', () => {
    expect(chatResponseFormat.json_schema.schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
    });
  });
});

describe('sourceDigest', () => {
  it('keeps a long source within its words, in order, with the numbers of the whole', () => {
    const whole = sourceDigest(heatPumps, 'english', cutSentences, 10_000);
    const part = sourceDigest(heatPumps, 'english', cutSentences, 80);
    expect(part.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(80);
    expect(part.length).toBeGreaterThan(2);
    expect(part.map(({ number }) => number)).toEqual(
      [...part].map(({ number }) => number).sort((a, b) => a - b),
    );
    for (const sentence of part) expect(whole[sentence.number]).toEqual(sentence);
  });
});

describe('readChatReply', () => {
  it('takes a script', () => {
    expect(readChatReply(good, known, wish)).toMatchObject({
      ok: true,
      script: { title: 'T', language: 'german', style: 'debate', chapters: [{ title: 'C' }] },
    });
  });

  it.each([
    ['words around it', `Here you are:\n${good}\nEnjoy!`],
    ['a fence around it', `\`\`\`json\n${good}\n\`\`\``],
  ])('takes one with %s', (_, text) => {
    expect(readChatReply(text, known, wish).ok).toBe(true);
  });

  it.each([
    ['no JSON', 'I am sorry.', /no JSON/],
    ['broken JSON', good.slice(0, -3), /no JSON/],
    ['another form', '{"lines": []}', /title/],
    ['a speaker that there is not', reply(line(3, 'Hello.', 0)), /speaker/],
    ['a sentence that does not exist', reply(line(1, 'Hello.', 7)), /source 7/],
    ['a line of nothing', reply(line(1, '…', 0)), /nothing to say/],
    ['a line without an end', reply(line(1, 'a'.repeat(1001), 0)), /text/],
    ['no grounds', reply(line(1, 'A.'), line(2, 'B.'), line(1, 'C.'), line(2, 'D.', 0)), /too few/],
  ])('refuses %s, and says why without repeating text', (_, text, why) => {
    const verdict = readChatReply(text, known, wish);
    expect(verdict).toMatchObject({ ok: false, problem: expect.stringMatching(why) });
    if (!verdict.ok) expect(verdict.problem).not.toMatch(/Hello|aaaa/);
  });

  it('refuses a second voice where there is one', () => {
    expect(readChatReply(good, known, solo)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/one voice/),
    });
  });
});
