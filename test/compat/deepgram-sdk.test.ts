// The official client, unmodified, against a running gateway: an ordinary turn, an interruption, a slow speech service,
// one that refuses, and a key that is wrong.
import { describe, expect, it } from 'vitest';
import { speaking } from '../support/running-gateway.ts';
import { openGate, status } from '../support/scripted-upstream.ts';
import { BURST, heldBack, start, TEXT, v1, v2 } from './deepgram-client.ts';

describe('@deepgram/sdk on /v1/speak', () => {
  const speak = async (dg: Awaited<ReturnType<typeof v1>>, text = TEXT) => {
    const from = dg.arrivals.length;
    const flushed = dg.messages('Flushed').length;
    dg.socket.sendText({ type: 'Speak', text });
    dg.socket.sendFlush({ type: 'Flush' });
    await dg.until('Flushed', flushed + 1);
    return dg.bytes(from);
  };

  it('speaks turns and closes in order', async () => {
    const gateway = await start();
    const dg = await v1({ encoding: 'linear16', sample_rate: 24_000, mip_opt_out: true, ...BURST });
    await dg.socket.waitForOpen();
    const [one, two] = [await speak(dg), await speak(dg)];
    expect([one, one % 2]).toEqual([two, 0]);
    expect(one / 48).toBeGreaterThan(3000);
    dg.socket.sendText({ type: 'Speak', text: 'And goodbye.' });
    dg.socket.sendFlush({ type: 'Flush' });
    dg.socket.sendClose({ type: 'Close' });
    await dg.closed();
    expect(dg.order()).toEqual([...['Metadata', 'audio', 'Flushed', 'audio', 'Flushed', 'audio', 'Flushed']]);
    expect(dg.messages('Flushed').map((each) => each.sequence_id)).toEqual([0, 1, 2]);
    expect([dg.closes, dg.errors]).toEqual([[1000], []]);
    expect(gateway.upstream.requests[0]!.body).toMatchObject({ voice: 'anna' });
  });

  it('is silent behind Cleared, and speaks the next turn whole', async () => {
    await start();
    const dg = await v1({ encoding: 'mulaw', sample_rate: 8000, queryParams: { voxgate_lead_ms: 200 } });
    await dg.socket.waitForOpen();
    dg.socket.sendText({ type: 'Speak', text: TEXT });
    dg.socket.sendFlush({ type: 'Flush' });
    await dg.audioBegins();
    dg.socket.sendClear({ type: 'Clear' });
    await dg.until('Cleared');
    const from = dg.arrivals.length;
    const bytes = await speak(dg, 'Go on.');
    expect(dg.order().slice(0, 4)).toEqual(['Metadata', 'audio', 'Cleared', 'audio']);
    expect(dg.order().slice(4)).toEqual(['Flushed']);
    const again = await speak(dg, 'Go on.');
    expect(bytes).toBe(again);
    expect(dg.arrivals.slice(0, from).at(-1)).toMatchObject({ type: 'Cleared' });
  });

  it('waits for a slow speech service, and hears of it', async () => {
    const gate = openGate();
    await start({ script: heldBack(gate) });
    const dg = await v1(BURST);
    await dg.socket.waitForOpen();
    const spoken = speak(dg);
    await dg.until('Warning');
    gate.open();
    expect(await spoken).toBeGreaterThan(0);
    expect(dg.messages('Warning')[0]).toMatchObject({ code: 'SYNTHESIS_RETRYING' });
    expect([dg.closes, dg.errors]).toEqual([[], []]);
  });

  it('is told at once of a speech service that refuses, and goes on', async () => {
    await start({ script: [status(400, {}, '{}'), speaking] });
    const dg = await v1(BURST);
    await dg.socket.waitForOpen();
    expect(await speak(dg)).toBe(0);
    expect(dg.order()).toEqual(['Metadata', 'Error', 'Flushed']);
    expect(await speak(dg)).toBeGreaterThan(0);
  });

  it('is told of a quota that is used up, and never left waiting', async () => {
    await start({ script: status(429, { 'retry-after': '60' }) });
    const dg = await v1(BURST);
    await dg.socket.waitForOpen();
    expect(await speak(dg)).toBe(0);
    expect(dg.messages('Error')).toMatchObject([{ retryable: true, voxgate_code: expect.any(String) }]);
    expect(dg.closes).toEqual([]);
  });

  it('waits out a short refusal, and is told of its place in the line meanwhile', async () => {
    await start({ script: [status(429, { 'retry-after': '2' }), speaking] });
    const dg = await v1(BURST);
    await dg.socket.waitForOpen();
    expect(await speak(dg, 'Go on.')).toBeGreaterThan(0);
    expect(dg.messages('Warning')[0]).toMatchObject({
      code: 'SYNTHESIS_RETRYING',
      description: expect.stringContaining('place 1'),
    });
    expect(dg.messages('Error')).toEqual([]);
  });

  it('is refused once with a wrong key', async () => {
    await start({ env: { VOXGATE_API_KEYS: 'anna:right-key' } });
    const wrong = await v1({}, 'wrong-key');
    await expect.poll(() => wrong.errors.length).toBe(1);
    expect(wrong.errors[0]!.message).toContain('401');
    // The only code after which it does not dial again.
    expect(wrong.closes).toEqual([1000]);
    expect(wrong.arrivals).toEqual([]);
    const right = await v1(BURST, 'right-key');
    await right.until('Metadata');
  });
});

describe('@deepgram/sdk on /v2/speak', () => {
  const say = (dg: Awaited<ReturnType<typeof v2>>, text = TEXT) => {
    dg.socket.sendSpeak({ type: 'Speak', text });
    dg.socket.sendFlush({ type: 'Flush' });
  };

  it('speaks turns with their reports and closes with the totals', async () => {
    const gateway = await start();
    const dg = await v2({
      encoding: 'linear16',
      sample_rate: 24_000,
      expressivity: 1,
      tag: 'test',
      ...BURST,
    });
    await dg.socket.waitForOpen();
    say(dg);
    dg.socket.sendConfigure({ type: 'Configure', speed: 1.05 });
    say(dg, 'And goodbye.');
    dg.socket.sendClose({ type: 'Close' });
    await dg.closed();
    const turn = ['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata'];
    expect(dg.order('ConfigureSuccess')).toEqual([...['Connected', ...turn, ...turn, 'SessionMetadata']]);
    expect(dg.messages('ConfigureSuccess')).toMatchObject([{ applied: { speed: 1.05 } }]);
    const [first, second] = dg.messages('SpeechMetadata');
    expect(first).toMatchObject({ input_character_count: TEXT.length });
    const total = Number(first!.audio_duration_ms) + Number(second!.audio_duration_ms);
    expect(dg.bytes() / 48).toBeCloseTo(total, -1);
    expect(dg.messages('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: total }]);
    expect([dg.closes, dg.errors]).toEqual([[1000], []]);
    const speeds = gateway.upstream.requests.map(({ body }) => (body as { speed?: number }).speed);
    expect(speeds).toContain(1.05);
  });

  it('tells what was heard of a turn that was cut, is silent, and speaks the next one whole', async () => {
    await start();
    const dg = await v2({ encoding: 'mulaw', queryParams: { voxgate_lead_ms: 200 } });
    await dg.socket.waitForOpen();
    say(dg);
    await expect.poll(() => dg.bytes(), { timeout: 15_000 }).toBeGreaterThan(8 * 1200);
    dg.socket.sendInterrupt({ type: 'Interrupt', playback_offset: { type: 'time_ms', value: 1000 } });
    await dg.until('SpeechInterrupted');
    const [report] = dg.messages('SpeechInterrupted');
    expect(report).toMatchObject({ audio_played_ms: 1000 });
    expect(`${String(report!.text_spoken)}${String(report!.text_remaining)}`).toBe(TEXT);
    expect(String(report!.text_spoken).split(' ').length).toBeGreaterThan(1);
    expect(String(report!.text_remaining).split(' ').length).toBeGreaterThan(5);
    const from = dg.arrivals.length;
    expect(dg.arrivals.at(-1)).toBe(report);
    say(dg, 'Go on.');
    await dg.until('SpeechMetadata');
    expect(dg.order().slice(3)).toEqual([
      'SpeechInterrupted',
      'SpeechStarted',
      'audio',
      'Flushed',
      'SpeechMetadata',
    ]);
    expect(dg.bytes(from) / 8).toBeCloseTo(Number(dg.messages('SpeechMetadata')[0]!.audio_duration_ms), -1);
  });

  it('waits for a slow speech service, and hears of it', async () => {
    const gate = openGate();
    await start({ script: heldBack(gate) });
    const dg = await v2(BURST);
    await dg.socket.waitForOpen();
    say(dg);
    await dg.until('Warning');
    expect(dg.messages('Warning')[0]).toMatchObject({ code: 'SYNTHESIS_RETRYING' });
    gate.open();
    await dg.until('SpeechMetadata');
    expect([dg.closes, dg.errors]).toEqual([[], []]);
  });

  it('is told of a quota that is used up, and never left waiting', async () => {
    await start({ script: status(429, { 'retry-after': '60' }) });
    const dg = await v2(BURST);
    await dg.socket.waitForOpen();
    say(dg);
    await dg.until('SpeechMetadata');
    expect(dg.messages('Error')).toMatchObject([{ retryable: true }]);
    expect(dg.bytes()).toBe(0);
    expect(dg.closes).toEqual([]);
  });

  it('is refused once with a wrong key, and with a speed that it has not', async () => {
    await start({ env: { VOXGATE_API_KEYS: 'anna:right-key' } });
    const wrong = await v2({}, 'wrong-key');
    await expect.poll(() => wrong.errors.length).toBe(1);
    expect(wrong.errors[0]!.message).toContain('401');
    const fast = await v2({ speed: 3 }, 'right-key');
    await expect.poll(() => fast.errors.length).toBe(1);
    expect(fast.errors[0]!.message).toContain('400');
  });
});
