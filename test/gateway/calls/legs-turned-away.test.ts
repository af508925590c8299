// Calls in a codec that is not served: closed within the message that names it, by a code and words, told to the session that
// waits or asks soon, and logged once. All of it in the order of events; the clock stands still unless a test moves it.
import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../../src/base/log.ts';
import { createLegConnection } from '../../../src/gateway/calls/leg-connection.ts';
import {
  createLocalLegRegistry,
  type LocalLegRegistry,
} from '../../../src/gateway/calls/local-leg-registry.ts';
import { audioSocketLeg, audioSocketMessage } from '../../../src/legs/audiosocket-leg.ts';
import type { LegFrame } from '../../../src/legs/leg.ts';
import { LEGS } from '../../../src/legs/legs.ts';
import { startSession } from '../../support/live-session.ts';

const UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const LINEAR = 'PCMU, PCMA, L16 of 8000 to 192000 Hz in steps of 25';
const twilioLike = {
  event: 'start',
  streamSid: 'MZ',
  start: {
    callSid: 'c',
    mediaFormat: { encoding: 'OPUS', sampleRate: 48_000 },
    customParameters: { token: 't' },
  },
};

/** What each platform says of such a call, and in which words it is told. */
const CALLS: readonly (readonly [kind: string, says: object | readonly LegFrame[], words: string])[] = [
  ['twilio', twilioLike, `OPUS at 48000 Hz came; served: ${LINEAR}`],
  ['signalwire', twilioLike, `OPUS at 48000 Hz came; served: ${LINEAR}`],
  [
    'telnyx',
    {
      event: 'start',
      stream_id: 's',
      start: {
        call_control_id: 'c',
        media_format: { encoding: 'AMR-WB', sample_rate: 16_000, channels: 1 },
        custom_parameters: { token: 't' },
      },
    },
    `AMR-WB at 16000 Hz came; served: ${LINEAR}`,
  ],
  [
    'plivo',
    {
      event: 'start',
      start: { callId: 'c', streamId: 's', mediaFormat: { encoding: 'audio/opus', sampleRate: 48_000 } },
      extra_headers: 'token=t',
    },
    `audio/opus at 48000 Hz came; served: ${LINEAR}`,
  ],
  [
    'vonage',
    { event: 'websocket:connected', 'content-type': 'audio/l16;rate=4000', callId: 'c', token: 't' },
    `audio/l16;rate=4000 came; served: ${LINEAR}`,
  ],
  [
    'exotel',
    {
      event: 'start',
      stream_sid: 's',
      start: { call_sid: 'c', media_format: { encoding: 'audio/mpeg' }, custom_parameters: { token: 't' } },
    },
    `audio/mpeg at 8000 Hz came; served: ${LINEAR}`,
  ],
  [
    'jambonz',
    { callSid: 'c', token: 't', sampleRate: 16_000, mixType: 'stereo' },
    `L16 at 16000 Hz in stereo came; served: ${LINEAR}`,
  ],
  [
    'chan-websocket',
    { event: 'MEDIA_START', channel_id: 'c', format: 'opus', channel_variables: { VOXGATE_TOKEN: 't' } },
    `opus came; served: ${LINEAR}`,
  ],
  [
    'raw',
    { format: 'g722', sampleRate: 16_000, callId: 'c', token: 't' },
    `g722 at 16000 Hz came; served: ${LINEAR}`,
  ],
  [
    'audiosocket',
    [
      audioSocketMessage(0x01, Buffer.from(UUID.replaceAll('-', ''), 'hex')),
      audioSocketMessage(0x1a, new Uint8Array(320)),
    ],
    'AudioSocket kind 0x1a came; served: kinds 0x10 to 0x18 (slin to slin192)',
  ],
];

function start() {
  let registry: LocalLegRegistry | undefined;
  const live = startSession({
    legs: { tokenFor: () => 't', attach: (...asked) => registry!.attach(...asked) },
  });
  const tokens = {
    tokenFor: () => 't',
    userOf: (token: string) => ({ t: 'anna', theirs: 'berta' })[token],
  };
  registry = createLocalLegRegistry(live.clock, tokens);
  const lines: { level: keyof Log; fields: unknown }[] = [];
  const closed: (readonly [number, string])[] = [];
  const call = (kind: string, says: object | readonly LegFrame[], known = true) => {
    const leg = [...LEGS, audioSocketLeg].find((each) => each.kind === kind)!;
    const connection = createLegConnection({
      id: 'leg-1',
      kind,
      codec: leg.open(),
      arrivals: registry!,
      clock: live.clock,
      log: { ...silentLog, warn: (_event, fields) => void lines.push({ level: 'warn', fields }) },
      playout: live.playout,
      token: undefined,
      userOf: (token) => (token === undefined || !known ? undefined : tokens.userOf(token)),
      unowned: leg === audioSocketLeg ? 'claimable' : 'refused',
      wire: {
        send() {},
        bufferedBytes: () => 0,
        close: (code, reason) => void closed.push([code, reason]),
        terminate() {},
      },
    });
    const frames = Array.isArray(says) ? (says as readonly LegFrame[]) : [JSON.stringify(says)];
    for (const frame of frames) connection.receive(frame);
    return connection;
  };
  const errors = () =>
    live.said('error').map(({ code, message, retryable }) => ({ code, message, retryable }));
  return { live, call, lines, closed, errors, registry };
}
const wantedOf = (kind: string) => ({ token: kind === 'audiosocket' ? UUID : 't' });

describe.each(CALLS)('a call of %s in a codec that is not served', (kind, says, words) => {
  it('is closed at once by what came and what is served, in 123 bytes', () => {
    const { live, call, closed, lines, errors } = start();
    live.send({ type: 'attach', leg: wantedOf(kind) });
    const beforeMs = live.clock.now();
    call(kind, says);
    expect(closed).toEqual([[4415, `leg_codec: ${words}`]]);
    expect(Buffer.byteLength(closed[0]![1])).toBeLessThanOrEqual(123);
    expect(errors()).toEqual([{ code: 'leg_codec', message: words, retryable: false }]);
    expect(live.clock.now()).toBe(beforeMs);
    const [came, served] = words.split(' came; served: ');
    const tenant = kind === 'audiosocket' ? undefined : 'anna';
    expect(lines).toEqual([
      { level: 'warn', fields: { leg: 'leg-1', kind, tenant, code: 'leg_codec', came, served } },
    ]);
  });

  it('is told to the session that asks for it within ten seconds, at once', async () => {
    const { live, call, errors } = start();
    call(kind, says);
    await live.run(9000);
    live.send({ type: 'attach', leg: wantedOf(kind) });
    await live.run(50);
    expect(errors()).toEqual([{ code: 'leg_codec', message: words, retryable: false }]);
    await live.run(951);
    live.send({ type: 'attach', leg: wantedOf(kind) });
    expect(errors()).toHaveLength(1);
    await live.run(10_000);
    expect(errors()[1]).toMatchObject({ code: 'leg_not_found' });
  });

  it('is told once, whatever comes behind it', () => {
    const { call, closed, lines } = start();
    const connection = call(kind, says);
    for (const frame of Array.isArray(says) ? (says as readonly LegFrame[]) : [JSON.stringify(says)])
      connection.receive(frame);
    connection.closed();
    expect(closed).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
});

describe('a call that is turned away', () => {
  it('is none of a user whose token it does not bring', () => {
    const { live, call, closed, lines, errors } = start();
    live.send({ type: 'attach', leg: { token: 't' } });
    call('raw', { format: 'g722', sampleRate: 16_000, token: 'theirs' });
    expect(closed[0]![0]).toBe(4415);
    expect(errors()).toEqual([]);
    call('raw', { format: 'g722', sampleRate: 16_000, token: 'unknown' });
    expect(closed[1]).toEqual([4401, 'unauthorized']);
    const because = 'the leg brought a token that is known to no session';
    const refused = { leg: 'leg-1', kind: 'raw', tenant: undefined, code: 'unauthorized', because };
    expect(lines).toHaveLength(2);
    expect(lines[1]).toEqual({ level: 'warn', fields: refused });
  });

  it('is found by its call id as well', () => {
    const { live, call, errors } = start();
    live.send({ type: 'attach', leg: { callSid: 'c' } });
    call('raw', { format: 'g722', sampleRate: 16_000, callId: 'c', token: 't' });
    expect(errors()).toMatchObject([{ code: 'leg_codec' }]);
  });

  it('is forgotten with the oldest when there are too many', async () => {
    const { live, call, errors } = start();
    call('raw', { format: 'g722', callId: 'first', token: 't' });
    for (let count = 0; count < 1000; count += 1)
      call('raw', { format: 'g722', callId: `c${count}`, token: 't' });
    live.send({ type: 'attach', leg: { callSid: 'first' } });
    expect(errors()).toEqual([]);
    live.send({ type: 'detach' });
    live.send({ type: 'attach', leg: { callSid: 'c0' } });
    await live.run(50);
    expect(errors().at(-1)).toMatchObject({ code: 'leg_codec' });
  });

  it('leaves nothing behind', async () => {
    const { live, call } = start();
    const before = live.clock.timers;
    call('raw', { format: 'g722', callId: 'c', token: 't' });
    await live.run(10_001);
    expect(live.clock.timers).toBe(before);
  });
});

it('a leg that does not say which call it is, is logged', async () => {
  const { live, call, closed, lines } = start();
  call('twilio', []);
  await live.run(10_000);
  expect(closed).toEqual([[4408, 'idle_timeout']]);
  expect(lines).toEqual([{ level: 'warn', fields: { leg: 'leg-1', kind: 'twilio', code: 'idle_timeout' } }]);
});
