// Whole turns over real sockets: what a client gets, in which order, in which bytes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMp3Header } from '../../src/audio/mp3/mp3-header.ts';
import { type RunningGateway, SPEECH_MS, startRunningGateway } from '../support/running-gateway.ts';
import type { SessionProbe } from '../support/session-probe.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(() => gateway.close());

/** What came of one turn, as types in order; audio told once per run. */
const orderOf = (probe: SessionProbe): string[] =>
  probe.arrivals
    .map((arrival) => (arrival.kind === 'audio' ? 'AUDIO' : arrival.event.type))
    .filter((name, index, all) => name !== all[index - 1]);

/** So much ahead of the listener that a busy machine is not late for it. */
const LEAD_MS = 1500;

describe('a whole turn', () => {
  it('comes as started, audio, ended, heard, in real time and at the frame length asked for', async () => {
    const probe = await gateway.session(`leadMs=${LEAD_MS}`);
    probe.send({ type: 'speak', turn: 'a', text: 'Hello there.' });
    const ended = await probe.ended('a');
    const heard = await probe.event('heard');
    expect(orderOf(probe)).toEqual(['ready', 'started', 'AUDIO', 'ended', 'heard']);
    expect(ended).toMatchObject({ outcome: 'complete', requests: 1, resumes: 0, cached: false });
    expect(ended.sentMs).toBe(ended.audioMs);
    // Silence at the end of the speech may be taken off, nothing may be added.
    expect(probe.audioOf('a').length / 8).toBeCloseTo(ended.sentMs, 0);
    expect(ended.sentMs).toBeGreaterThan(SPEECH_MS - 500);
    expect(ended.sentMs).toBeLessThanOrEqual(SPEECH_MS + 20);
    const frames = probe.arrivals.flatMap((each) => (each.kind === 'audio' ? [each] : []));
    expect(frames.slice(0, -1).every(({ bytes }) => bytes.length === 160)).toBe(true);
    // Sent as it is heard, but for the lead.
    const tookMs = frames.at(-1)!.atMs - frames[0]!.atMs;
    expect(tookMs).toBeGreaterThan(ended.sentMs - LEAD_MS - 150);
    expect(heard).toMatchObject({ playedBy: 'clock', playedMs: ended.sentMs, remainingText: '' });
  });

  it('speaks a dialogue of two voices with captions that come before their audio', async () => {
    const probe = await gateway.session('captions=words&pace=burst&voice=one&voice2=two');
    const dialogue = [
      { speaker: 1, text: 'Who is there?' },
      { speaker: 2, text: 'Only the wind.' },
    ];
    probe.send({ type: 'speak', turn: 'd', dialogue });
    await probe.ended('d');
    const words = probe.events('caption').flatMap((caption) => caption.words);
    expect(words.map((word) => word.text.replace(/\W/g, ''))).toEqual([
      'Who',
      'is',
      'there',
      'Only',
      'the',
      'wind',
    ]);
    expect(words.map((word) => word.speaker)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(orderOf(probe).indexOf('caption')).toBeLessThan(orderOf(probe).indexOf('AUDIO'));
    const { body } = gateway.upstream.requests.at(-1)!;
    expect(body).toMatchObject({ voice: 'one', voice2: 'two', outputFormat: 'mp3' });
  });

  it('speaks appended tokens, and answers flush and mark behind their audio', async () => {
    const probe = await gateway.session('pace=burst');
    for (const text of ['The fir', 'st sentence. ', 'The sec', 'ond one'])
      probe.send({ type: 'append', turn: 't', text });
    probe.send({ type: 'flush', turn: 't' }, { type: 'mark', turn: 't', name: 'm' });
    await probe.event('flushed');
    probe.send({ type: 'end', turn: 't' });
    const ended = await probe.ended('t');
    expect(ended).toMatchObject({ outcome: 'complete' });
    const order = orderOf(probe);
    expect(order.indexOf('flushed')).toBeGreaterThan(order.indexOf('AUDIO'));
    probe.send({ type: 'cancel', turn: 't' });
    expect(await probe.event('mark')).toMatchObject({ name: 'm' });
  });

  it('plays turns in the order in which they were named, audio of one never inside another', async () => {
    const probe = await gateway.session('pace=burst');
    for (const turn of ['1', '2', '3']) probe.send({ type: 'speak', turn, text: `Turn ${turn}.` });
    await probe.ended('3');
    // Two requests of a session are under way at most, so the third turn may be told that it waits for that, too.
    const behindOthers = probe.events('queued').filter(({ reason }) => reason === 'previous-turn');
    expect(behindOthers.map(({ turn }) => turn)).toEqual(['2', '3']);
    expect(probe.events('started').map(({ turn }) => turn)).toEqual(['1', '2', '3']);
    const lengths = ['1', '2', '3'].map((turn) => probe.audioOf(turn).length);
    expect(new Set(lengths).size).toBe(1);
    const all = probe.arrivals.flatMap((each) => (each.kind === 'audio' ? [each.bytes.length] : []));
    expect(all.reduce((sum, length) => sum + length, 0)).toBe(lengths[0]! * 3);
  });

  it('serves two sessions at once, each its own turn', async () => {
    const probes = await Promise.all(
      ['alaw', 'mulaw'].map((format) => gateway.session(`format=${format}&leadMs=${LEAD_MS}`)),
    );
    for (const probe of probes) probe.send({ type: 'speak', turn: 'same-id', text: 'Both at once.' });
    const ended = await Promise.all(probes.map((probe) => probe.ended('same-id')));
    expect(ended.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    const [alaw, mulaw] = probes.map((probe) => probe.audioOf('same-id'));
    expect(alaw!.length).toBe(mulaw!.length);
    expect(alaw!.equals(mulaw!)).toBe(false);
    expect(probes.flatMap((probe) => probe.events('underrun'))).toEqual([]);
  });

  it('sends base64 audio with positions when asked, and no binary frame', async () => {
    const probe = await gateway.session('audio=base64&pace=burst');
    probe.send({ type: 'speak', turn: 'b', text: 'As text.' });
    const ended = await probe.ended('b');
    const frames = probe.events('audio');
    expect(probe.arrivals.filter((each) => each.kind === 'audio')).toEqual([]);
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index));
    expect(frames.slice(0, 3).map(({ ms }) => ms)).toEqual([0, 20, 40]);
    const bytes = frames.reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0);
    expect(bytes / 8).toBeCloseTo(ended.audioMs, 0);
  });

  it('refuses the turn beyond the limit as busy and fails it, and speaks the others', async () => {
    const probe = await gateway.session('pace=burst');
    // The first stays open, so that none can be over before the last is asked for.
    probe.send({ type: 'append', turn: '0', text: 'One of many.' });
    for (let turn = 1; turn < 9; turn++) probe.send({ type: 'speak', turn: `${turn}`, text: 'One of many.' });
    expect(await probe.event('error')).toMatchObject({
      code: 'busy',
      turn: '8',
      scope: 'turn',
      retryable: true,
      retryAfterMs: 1000,
    });
    expect(await probe.ended('8')).toMatchObject({ outcome: 'failed', audioMs: 0 });
    probe.send({ type: 'end', turn: '0' });
    expect(await probe.ended('7')).toMatchObject({ outcome: 'complete' });
    expect(probe.events('ended').length).toBe(9);
  });
});

describe('formats', () => {
  const speak = async (query: string) => {
    const probe = await gateway.session(`pace=burst&${query}`);
    probe.send({ type: 'speak', turn: 'f', text: 'In many coats.' });
    const ended = await probe.ended('f');
    return { ended, bytes: probe.audioOf('f'), started: await probe.event('started') };
  };

  it.each([
    ['format=mulaw', 8000, 1],
    ['format=mulaw&sampleRate=16000&frameMs=30', 16_000, 1],
    ['format=alaw', 8000, 1],
    ['format=raw', 24_000, 2],
    ['format=raw&sampleRate=48000', 48_000, 2],
    ['format=raw&sampleRate=11025', 11_025, 2],
  ])('%s is headerless samples', async (query, sampleRate, width) => {
    const { ended, bytes, started } = await speak(query);
    expect(started.sampleRate).toBe(sampleRate);
    expect(bytes.length / width / (sampleRate / 1000)).toBeCloseTo(ended.audioMs, 0);
    expect(new Set(bytes.subarray(0, 20_000)).size).toBeGreaterThan(20);
  });

  it.each([24_000, 44_100])(
    'wav at %i is one header with streaming sizes, then samples',
    async (sampleRate) => {
      const { ended, bytes } = await speak(`format=wav&sampleRate=${sampleRate}`);
      expect(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
      expect([bytes.readUInt32LE(4), bytes.readUInt32LE(40)]).toEqual([0xffffffff, 0xffffffff]);
      expect([bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34)]).toEqual([
        1,
        sampleRate,
        16,
      ]);
      expect((bytes.length - 44) / 2 / (sampleRate / 1000)).toBeCloseTo(ended.audioMs, 0);
      expect(bytes.indexOf('RIFF', 4)).toBe(-1);
    },
  );

  it.each(['format=mp3', 'format=mp3&sampleRate=44100'])('%s is MPEG frames of one rate', async (query) => {
    const { bytes, started } = await speak(query);
    const header = parseMp3Header(bytes.readUInt32BE(0));
    expect(header).toMatchObject({ sampleRate: started.sampleRate });
    expect(started.sampleRate).toBe(query.endsWith('44100') ? 44_100 : 24_000);
  });

  it('a turn may differ from its session, and the session keeps its own', async () => {
    const probe = await gateway.session('pace=burst');
    probe.send({ type: 'speak', turn: 'wav', text: 'Once.', format: 'wav', sampleRate: 16_000 });
    probe.send({ type: 'speak', turn: 'own', text: 'Again.' });
    await probe.ended('own');
    expect(probe.events('started').map(({ format, sampleRate }) => [format, sampleRate])).toEqual([
      ['wav', 16_000],
      ['mulaw', 8000],
    ]);
  });
});
