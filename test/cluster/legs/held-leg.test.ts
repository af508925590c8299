// A call that moves between two processes and back, in simulated time: the side that has the socket and the side that
// plays, over a stream in memory.
import { Duplex } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createHeldLeg, type HeldLeg } from '../../../src/cluster/legs/held-leg.ts';
import { openLegCodec } from '../../../src/cluster/legs/leg-switchboard.ts';
import { createRelayReader, packRelay, type RelayMessage } from '../../../src/cluster/legs/relay-frames.ts';
import type { ArrivedLeg } from '../../../src/gateway/calls/local-leg-registry.ts';
import { audioSocketMessage } from '../../../src/legs/audiosocket-leg.ts';
import type { LegFrame } from '../../../src/legs/leg.ts';
import type { LegListener } from '../../../src/playout/call-leg.ts';
import { createPlayoutClock } from '../../../src/playout/playout-clock.ts';
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts';
import { TWILIO_START } from '../../support/twilio-start.ts';

let clock: FakeClock;
let sent: LegFrame[];
let closed: [number, string][];
let arrivals: ('new' | 'goes-on')[];
let calls: ArrivedLeg['leg'][];
let goneAs: string[];
let movedAway: number;
let waitingBytes: number;
let listener: LegListener | undefined;

const MEDIA = JSON.stringify({ event: 'media', streamSid: 'MZ1', media: { payload: 'fn5+' } });

function hold(kind: string): HeldLeg {
  return createHeldLeg({
    id: 'leg-1',
    kind,
    codec: openLegCodec(kind),
    openCodec: () => openLegCodec(kind),
    wire: {
      send: (frame) => void sent.push(frame),
      bufferedBytes() {
        return waitingBytes;
      },
      close: (code, reason) => void closed.push([code, reason]),
      terminate: () => void closed.push([1006, 'terminated']),
    },
    arrivals: { arrive: () => expect.unreachable(), turnAway: () => expect.unreachable() },
    turnAway: () => expect.unreachable(),
    arrive(life, { leg }) {
      arrivals.push(life);
      calls.push(leg);
      return { listener: () => listener, release() {}, leave() {} };
    },
    onMovedAway: () => {
      movedAway += 1;
    },
    onGone: (reason) => void goneAs.push(reason),
    clock,
    log: silentLog,
    playout: createPlayoutClock({ clock, onFault: (_player, fault) => expect.unreachable(String(fault)) }),
    token: undefined,
    userOf: () => 'anna',
    unowned: 'refused',
  });
}

/** The two ends of a stream in memory; `got` is what the side that plays is told. */
function openRelay() {
  const got: RelayMessage[] = [];
  const read = createRelayReader((message) => got.push(message));
  const socketSide: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      read(chunk);
      done();
    },
  });
  return {
    got,
    socketSide,
    frames: () => got.flatMap((message) => (message.is === 'frame' ? [String(message.frame)] : [])),
    say: (message: RelayMessage) => void socketSide.push(packRelay(message)),
  };
}

beforeEach(() => {
  clock = createFakeClock();
  listener = undefined;
  [sent, closed, arrivals, calls, goneAs, movedAway, waitingBytes] = [[], [], [], [], [], 0, 0];
});

const FIRST = JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' });

describe('a held leg', () => {
  it('begins here, and elsewhere from its first messages', async () => {
    const leg = hold('twilio');
    for (const frame of [FIRST, TWILIO_START, MEDIA]) leg.receive(frame);
    expect(arrivals).toEqual(['new']);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    leg.receive(MEDIA);
    await settle();
    expect(relay.got[0]).toEqual({
      is: 'opening',
      opening: { id: 'leg-1', kind: 'twilio', lives: 1 },
    });
    expect(relay.frames()).toEqual([FIRST, TWILIO_START, MEDIA]);
    expect(movedAway).toBe(1);
    expect(closed).toEqual([]);
  });

  it('sends what the other side plays, and tells what of it waits', async () => {
    const leg = hold('twilio');
    for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    waitingBytes = 7;
    relay.say({ is: 'frame', frame: 'hello' });
    relay.say({ is: 'frame', frame: Buffer.from([1, 2, 3]) });
    await clock.run(1);
    expect(sent).toEqual(['hello', Buffer.from([1, 2, 3])]);
    const taken = () => relay.got.filter(({ is }) => is === 'taken');
    expect(taken().at(-1)).toEqual({ is: 'taken', bytes: 8, waiting: 7 });
    waitingBytes = 0;
    await clock.run(25);
    expect(taken().at(-1)).toEqual({ is: 'taken', bytes: 8, waiting: 0 });
    const times = taken().length;
    await clock.run(1000);
    expect(taken().length).toBe(times);
  });

  it('comes home when the other side dies, and marks of the one life are none of the next', async () => {
    const leg = hold('twilio');
    for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    relay.socketSide.destroy();
    await settle();
    expect(arrivals).toEqual(['new', 'goes-on']);
    calls.at(-1)!.play({ turn: 'a', atMs: 0, ms: 200, bytes: new Uint8Array(1600) });
    calls.at(-1)!.finish('a');
    const marks = sent.map(String).filter((frame) => frame.includes('"mark"'));
    expect(marks.length).toBe(1);
    expect(marks[0]).toContain('"name":"2-');
  });

  it('moves on from one to another, and home, each told', async () => {
    const leg = hold('twilio');
    for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
    const [first, second] = [openRelay(), openRelay()];
    leg.moveTo(first.socketSide);
    leg.moveTo(second.socketSide);
    leg.receive(MEDIA);
    await settle();
    expect(first.got.at(-1)).toEqual({ is: 'handed-on' });
    expect(second.frames().at(-1)).toBe(MEDIA);
    first.say({ is: 'close', code: 1000, reason: 'late' });
    await settle();
    expect(closed).toEqual([]);
    leg.bringHome();
    expect(second.got.at(-1)).toEqual({ is: 'handed-on' });
    expect(arrivals).toEqual(['new', 'goes-on']);
    expect(movedAway).toBe(1);
  });

  it('ends with its socket, with the other side, and with this process', async () => {
    const begin = () => {
      const leg = hold('twilio');
      for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
      const relay = openRelay();
      leg.moveTo(relay.socketSide);
      return { leg, relay };
    };
    const one = begin();
    one.leg.closed();
    expect(one.relay.got.at(-1)).toEqual({ is: 'closed' });
    expect(goneAs).toEqual(['the socket was closed']);
    const two = begin();
    two.relay.say({ is: 'close', code: 1000, reason: 'hung up' });
    await settle();
    expect(closed).toEqual([[1000, 'hung up']]);
    const three = begin();
    three.leg.close('the gateway stops');
    expect(three.relay.got.at(-1)).toEqual({ is: 'closed', because: 'shutting_down' });
    expect(closed.at(-1)).toEqual([1012, 'shutting_down']);
    await settle();
    expect(arrivals.filter((life) => life === 'goes-on')).toEqual([]);
  });

  it('tells who plays to it that this process stops, and ends when it comes home', async () => {
    const leg = hold('twilio');
    for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    leg.drain(20_000);
    expect(relay.got.at(-1)).toEqual({ is: 'leaving', deadlineMs: 20_000 });
    expect([leg.isAway(), closed]).toEqual([true, []]);
    relay.socketSide.destroy();
    await settle();
    expect([leg.isAway(), closed]).toEqual([false, [[1012, 'shutting_down']]]);
  });

  it('ends when its session lets it go while this process stops, at once where it has none', () => {
    const leg = hold('twilio');
    listener = {} as LegListener;
    for (const frame of [FIRST, TWILIO_START]) leg.receive(frame);
    leg.drain(20_000);
    expect(closed).toEqual([]);
    listener = undefined;
    calls[0]!.release();
    expect(closed).toEqual([[1012, 'shutting_down']]);
    const idle = hold('twilio');
    for (const frame of [FIRST, TWILIO_START]) idle.receive(frame);
    idle.drain(20_000);
    expect(closed.length).toBe(2);
  });

  it('does not move before it has said which call it is', async () => {
    const leg = hold('twilio');
    leg.receive(FIRST);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    expect(relay.socketSide.destroyed).toBe(true);
    leg.receive(TWILIO_START);
    expect(arrivals).toEqual(['new']);
  });

  it('of AudioSocket moves between two whole messages, however its stream is cut', async () => {
    const leg = hold('audiosocket');
    const stream = Buffer.concat([
      audioSocketMessage(0x01, Buffer.alloc(16, 7)),
      audioSocketMessage(0x10, Buffer.alloc(320, 1)),
      audioSocketMessage(0x10, Buffer.alloc(320, 2)),
    ]);
    leg.receive(stream.subarray(0, 400));
    expect(arrivals).toEqual(['new']);
    const relay = openRelay();
    leg.moveTo(relay.socketSide);
    leg.receive(stream.subarray(400));
    await settle();
    const frames = relay.got.flatMap((message) => (message.is === 'frame' ? [message.frame as Buffer] : []));
    expect(frames.map(({ length }) => length)).toEqual([19, 323, 323]);
    expect(frames.map((frame) => frame.at(-1))).toEqual([7, 1, 2]);
  });
});
