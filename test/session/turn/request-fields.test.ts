// What an upstream request is made of: speakers, prefixes, and the fields that a client gave.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const bare = (text: string) => text.replace(/\s+/g, '');

describe('speakers', () => {
  it('of a dialogue become made prefixes that the text does not hold', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)), voice: 'v1', voice2: 'v2' });
    live.send({
      type: 'speak',
      turn: 'a',
      dialogue: [
        { speaker: 1, text: 'Did he say Speaker 1: already?' },
        { speaker: 2, text: 'Yes.' },
        { speaker: 2, text: 'Twice.' },
        { speaker: 1, text: 'Oh.' },
      ],
    });
    await live.run(1000);
    const { text, turnPrefix, turnPrefix2, voice, voice2 } = live.upstream.requests[0]!.body;
    expect([turnPrefix, turnPrefix2, voice, voice2]).toEqual(['Speaker 3:', 'Speaker 4:', 'v1', 'v2']);
    expect(text).toBe('Speaker 3: Did he say Speaker 1: already?\nSpeaker 4: Yes.\nTwice.\nSpeaker 3: Oh.');
  });

  it('may change from append to append; each request begins with a prefix', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: 'How are you', speaker: 1 });
    live.send({ type: 'append', turn: 'a', text: 'Fine, thanks', speaker: 2 });
    live.send({ type: 'append', turn: 'a', text: ' and you?' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(2000);
    const requests = live.upstream.requests.map(({ body }) => body);
    expect(
      requests.every(
        ({ text, turnPrefix, turnPrefix2 }) => text.startsWith(turnPrefix!) || text.startsWith(turnPrefix2!),
      ),
    ).toBe(true);
    expect(requests.map(({ text }) => text).join('\n')).toBe(
      'Speaker 1: How are you\nSpeaker 2: Fine, thanks and you?',
    );
  });

  it("of the client's own prefixes are found across any split", async () => {
    const text = 'Host: Welcome to the show. Guest: Thank you, it is good to be here. Host: So.';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (at) => {
        const live = startSession({ auto: atOnce(() => speechMp3(300)) });
        const cuts = [0, ...at.sort((a, b) => a - b), text.length];
        for (const [index, from] of cuts.slice(0, -1).entries()) {
          const fields = index === 0 ? { turnPrefix: 'Host:', turnPrefix2: 'Guest:' } : {};
          live.send({ type: 'append', turn: 'a', text: text.slice(from, cuts[index + 1]), ...fields });
        }
        live.send({ type: 'end', turn: 'a' });
        await live.run(3000);
        const bodies = live.upstream.requests.map(({ body }) => body);
        expect(bodies.every((body) => body.turnPrefix === 'Host:' && body.turnPrefix2 === 'Guest:')).toBe(
          true,
        );
        expect(bodies.every((body) => /^(Host|Guest):/.test(body.text))).toBe(true);
        const lines = bodies
          .map((body) => body.text)
          .join('\n')
          .replace(/\s*\n\s*/g, '|');
        // A request that goes on with a speaker names him again.
        const merged = lines.split(/\|?(?=Host:|Guest:)/).reduce<[string, string][]>((all, line) => {
          const [who, said] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)];
          if (all.at(-1)?.[0] === who) all.at(-1)![1] += said;
          else all.push([who, said]);
          return all;
        }, []);
        expect(merged.map(([who, said]) => [who, bare(said.replace(/\|/g, ''))])).toEqual([
          ['Host', 'Welcometotheshow.'],
          ['Guest', 'Thankyou,itisgoodtobehere.'],
          ['Host', 'So.'],
        ]);
        expect(live.said('heard')[0]!.spokenText).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe('fields of a request', () => {
  const all = {
    voice: 's3://voices/a',
    voice2: 's3://voices/b',
    speed: 1.25,
    seed: 4_294_967_295,
    temperature: 0,
    prompt: 'calm',
    prompt2: 'lively',
    voiceConditioningSeconds: 0,
    voiceConditioningSeconds2: 12.5,
    language: 'german',
  };
  const bodyOf = async (options: Parameters<typeof startSession>[0], message: object) => {
    const live = startSession({ auto: atOnce(() => speechMp3(100)), ...options });
    live.send({ type: 'speak', turn: 'a', text: 'Guten Tag.', ...message });
    await live.run(500);
    expect(live.said('error')).toEqual([]);
    return live.upstream.requests[0]!.body;
  };

  it('are those of the turn, unchanged, with mp3 and an explicit seed', async () => {
    const body = await bodyOf({ voice: 'default', voice2: 'default2' }, all);
    expect(body).toEqual({ model: 'VoxDialog', text: 'Guten Tag.', outputFormat: 'mp3', ...all });
  });

  it('come from the session when the turn has none, from the settings when neither has', async () => {
    const { seed: _seed, ...rest } = all;
    const preset = await bodyOf({ preset: rest as never }, { speed: 2, format: 'raw', sampleRate: 16_000 });
    expect(preset).toEqual({
      model: 'VoxDialog',
      text: 'Guten Tag.',
      outputFormat: 'mp3',
      ...rest,
      speed: 2,
      seed: 2 ** 29,
    });
    const plain = await bodyOf({ voice: 'v', voice2: 'v2' }, {});
    expect(plain).toEqual({
      model: 'VoxDialog',
      text: 'Guten Tag.',
      outputFormat: 'mp3',
      voice: 'v',
      seed: 2 ** 29,
    });
  });

  it('leave out the voice when none is known, and what the turn sets to null', async () => {
    const body = await bodyOf(
      { preset: { temperature: 1, prompt: 'calm' } },
      { temperature: null, seed: null },
    );
    expect(body).toEqual({
      model: 'VoxDialog',
      text: 'Guten Tag.',
      outputFormat: 'mp3',
      prompt: 'calm',
      seed: 2 ** 29,
    });
  });

  it('tell the client the seed that was drawn, the same in all requests of the turn', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(300)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(2000);
    const seeds = live.upstream.requests.map(({ body }) => body.seed);
    expect(seeds).toEqual([2 ** 29, 2 ** 29]);
    expect(live.said('started')[0]!.seed).toBe(2 ** 29);
  });
});
