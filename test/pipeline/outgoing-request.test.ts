import { describe, expect, it } from 'vitest';
import { saidLength, toOutgoingRequest } from '../../src/pipeline/outgoing-request.ts';
import { streamRequestSchema } from '../../src/speech/speech-request.ts';
import { shapedRequests } from '../../src/text/request-shape.ts';
import { type RequestText, splitIntoRequests } from '../../src/text/request-text.ts';
import { wholeTextSegments } from '../../src/text/turn-text.ts';

const textOf = (more: Partial<RequestText> = {}) =>
  ({ text: 'It is 5 o’clock.', parts: [], ...more }) as unknown as RequestText;
const spokenWith = { synthesis: {}, seed: 7, defaultVoice: undefined, defaultVoice2: undefined };

describe('a request to the speech service', () => {
  it('asks for MP3 and holds nothing that was not given', () => {
    expect(toOutgoingRequest(spokenWith, textOf())).toEqual({
      model: 'VoxDialog',
      text: 'It is 5 o’clock.',
      outputFormat: 'mp3',
      seed: 7,
    });
  });

  it('holds no half of a character, in a voice neither', () => {
    const synthesis = { voice: 'a\ud800', voice2: '\udc00b' };
    expect(toOutgoingRequest({ ...spokenWith, synthesis }, textOf())).toMatchObject({
      voice: 'a\ufffd',
      voice2: '\ufffdb',
    });
  });

  it('leaves out what is null or absent, and keeps what is zero or empty', () => {
    const synthesis = { speed: 1.5, temperature: 0, prompt: '', language: null, voice2: null, seed: 99 };
    expect(toOutgoingRequest({ ...spokenWith, synthesis }, textOf())).toEqual({
      model: 'VoxDialog',
      text: 'It is 5 o’clock.',
      outputFormat: 'mp3',
      speed: 1.5,
      temperature: 0,
      prompt: '',
      seed: 7,
    });
  });

  it('has the default voice where none is named; the second one in a dialogue only', () => {
    const defaults = { ...spokenWith, defaultVoice: 'voice://a', defaultVoice2: 'voice://b' };
    expect(toOutgoingRequest(defaults, textOf())).toMatchObject({ voice: 'voice://a' });
    expect(toOutgoingRequest(defaults, textOf())).not.toHaveProperty('voice2');
    expect(toOutgoingRequest(defaults, textOf({ turnPrefix2: 'B:' }))).toMatchObject({
      voice2: 'voice://b',
      turnPrefix2: 'B:',
    });
    const named = { ...defaults, synthesis: { voice: 'voice://x', voice2: 'voice://y' } };
    expect(toOutgoingRequest(named, textOf({ turnPrefix: 'A:' }))).toMatchObject({
      voice: 'voice://x',
      voice2: 'voice://y',
    });
  });

  it('has the prefixes of its own text, not those of the whole', () => {
    const synthesis = { turnPrefix: 'A:', turnPrefix2: 'B:' };
    expect(toOutgoingRequest({ ...spokenWith, synthesis }, textOf())).not.toHaveProperty('turnPrefix');
  });

  it('says words as they are pronounced, and is one that the interface takes', () => {
    const pronunciations = [{ written: 'o’clock', spoken: 'of the clock' }];
    const prefixes = { turnPrefix: 'clock:', turnPrefix2: undefined };
    const segments = wholeTextSegments('clock: It is 5 o’clock.', {
      language: 'english',
      markup: 'keep',
      ...prefixes,
    });
    const [text] = splitIntoRequests(segments, 2000, prefixes);
    const pairs = [...pronunciations, { written: 'clock', spoken: 'tick' }];
    const made = toOutgoingRequest({ ...spokenWith, defaultVoice: 'v', pronunciations: pairs }, text!);
    expect(made.text).toMatch(/^clock:\s+It is 5 of the clock\.$/);
    expect(streamRequestSchema.parse(made)).toEqual(made);
  });

  it('keeps within what the service takes, however much words grow', () => {
    const pronunciations = [{ written: 'UN', spoken: 'the United Nations organisation' }];
    const text = 'The UN met. UN and UN agreed, said the UN. '.repeat(40);
    const segments = wholeTextSegments(text, { language: 'english', markup: 'keep' });
    const [whole] = splitIntoRequests(segments);
    const shape = { voices: 'one', maxText: 300 } as const;
    const requests = shapedRequests(whole!, shape, saidLength(pronunciations));
    const said = requests.map(
      (request) => toOutgoingRequest({ ...spokenWith, pronunciations, maxText: shape.maxText }, request).text,
    );
    for (const each of said) {
      expect(each.length).toBeLessThanOrEqual(300);
      expect(each).not.toContain('UN ');
    }
    const flat = (words: string) => words.replace(/\s+/g, ' ').trim();
    expect(flat(said.join(' '))).toBe(flat(text.replaceAll('UN', pronunciations[0]!.spoken)));
  });
});
