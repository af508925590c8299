// A leg's connection without a socket: what becomes of a far side that takes nothing, says nothing or is nobody's.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { type LogFields, silentLog } from '../../../src/base/log.ts';
import { createLegConnection } from '../../../src/gateway/calls/leg-connection.ts';
import { createLocalLegRegistry } from '../../../src/gateway/calls/local-leg-registry.ts';
import { audioSocketLeg, audioSocketMessage } from '../../../src/legs/audiosocket-leg.ts';
import type { LegCodec, LegFrame } from '../../../src/legs/leg.ts';
import type { CallLeg } from '../../../src/playout/call-leg.ts';
import { createPlayoutClock } from '../../../src/playout/playout-clock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const HELLO = audioSocketMessage(0x01, Buffer.from(UUID.replaceAll('-', ''), 'hex'));
const AUDIO = audioSocketMessage(0x10, new Uint8Array(320));

const broken = (): never => {
  throw new Error('broken inside');
};

type Given = { user?: string; codec?: LegCodec; admit?: () => AppError | undefined };
function start({ user, codec = audioSocketLeg.open(), admit = () => undefined }: Given = {}) {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const lines: string[] = [];
  const keep = (event: string, { outcome, code }: LogFields = {}) =>
    void lines.push([event, outcome, code].filter((each) => each !== undefined).join(' '));
  const playout = createPlayoutClock({
    clock,
    onFault(_player, fault) {
      throw fault;
    },
  });
  const registry = createLocalLegRegistry(clock, { tokenFor: () => 'token', userOf: () => undefined });
  const wire = { bufferedBytes: 0, sent: [] as Uint8Array[], ends: [] as (number | 'terminated')[] };
  const connection = createLegConnection({
    id: 'leg-1',
    kind: 'audiosocket',
    codec,
    arrivals: registry,
    clock,
    log: { ...silentLog, info: keep, warn: keep, error: (...line) => void errors.push(line) },
    playout,
    token: undefined,
    userOf: () => user,
    unowned: 'claimable',
    admit,
    wire: {
      send: (frame) => void wire.sent.push(frame as Uint8Array),
      bufferedBytes() {
        return wire.bufferedBytes;
      },
      close: (code) => void wire.ends.push(code),
      terminate: () => void wire.ends.push('terminated'),
    },
  });
  const gone: string[] = [];
  const calls: CallLeg[] = [];
  const attach = (): CallLeg | undefined => {
    let had: CallLeg | undefined;
    registry.attach(
      'ann',
      { token: UUID },
      {
        onAttached(leg) {
          had = leg;
          calls.push(leg);
          return {
            onPlayed() {},
            onAudio() {},
            onDigit() {},
            onAudioChanged() {},
            onGone: (reason) => gone.push(reason),
          };
        },
        onRefused() {},
      },
    );
    return had;
  };
  return { clock, playout, registry, connection, wire, attach, gone, errors, lines, calls };
}

describe('the end of a leg is told once', () => {
  type Leg = ReturnType<typeof start>;
  const served = (leg: Leg) => {
    leg.connection.receive(Buffer.concat([HELLO, AUDIO]));
    leg.attach();
  };
  const unclaimed = (leg: Leg) => leg.connection.receive(Buffer.concat([HELLO, AUDIO]));
  const stuck = (leg: Leg) => {
    leg.wire.bufferedBytes = 5000;
    for (let second = 0; second <= 11; second += 1) {
      leg.connection.sweep(leg.clock.now());
      leg.clock.advance(1000);
    }
  };
  it.each<readonly [string, string, Given, readonly ((leg: Leg) => void)[]]>([
    [
      'its far side hangs up',
      'leg_ended over',
      { user: 'ann' },
      [served, ({ connection }) => connection.closed()],
    ],
    [
      'nobody has asked for it and it hangs up',
      'leg_ended over',
      {},
      [unclaimed, ({ connection }) => connection.closed()],
    ],
    ['its session hangs up', 'leg_ended over', { user: 'ann' }, [unclaimed, (leg) => leg.attach()?.hangUp()]],
    ['its far side takes nothing', 'leg_ended ended slow_reader', { user: 'ann' }, [served, stuck]],
    [
      'its far side sends what no WebSocket may',
      'leg_ended ended payload_too_large',
      { user: 'ann' },
      [served, ({ connection }) => connection.closed('payload_too_large')],
    ],
    [
      'it sends too much',
      'leg_ended ended rate_limited',
      { user: 'ann' },
      [served, ({ connection }) => connection.close('too much', 'rate_limited')],
    ],
    [
      'the gateway stops',
      'leg_ended ended shutting_down',
      { user: 'ann' },
      [served, ({ connection }) => connection.close('stops')],
    ],
    [
      'no session has it',
      'leg_ended ended idle_timeout',
      { user: 'ann' },
      [unclaimed, ({ clock }) => clock.advance(60_000)],
    ],
    ['nobody names it', 'leg_refused unauthorized', {}, [unclaimed, ({ clock }) => clock.advance(10_000)]],
    [
      'it does not say which call it is',
      'leg_without_call idle_timeout',
      {},
      [({ clock }) => clock.advance(10_000)],
    ],
    [
      'there is no room',
      'leg_refused busy',
      { user: 'ann', admit: () => new AppError('busy', 'as many as may be') },
      [unclaimed],
    ],
    [
      'its codec is not served',
      'leg_codec_not_served leg_codec',
      {},
      [
        ({ connection }) =>
          connection.receive(Buffer.concat([HELLO, audioSocketMessage(0x1a, new Uint8Array(320))])),
      ],
    ],
    [
      'its codec fails',
      'leg_ended ended internal',
      { user: 'ann', codec: { ...audioSocketLeg.open(), media: broken } },
      [
        served,
        (leg) => {
          leg.calls[0]!.play({ turn: 'a', atMs: 0, ms: 20, bytes: new Uint8Array(320) });
          leg.clock.flush();
        },
      ],
    ],
  ])('when %s: %s', (_what, line, given, acts) => {
    const leg = start(given);
    for (const act of acts) act(leg);
    // Whatever comes behind it.
    leg.connection.closed();
    leg.connection.close('stops');
    leg.clock.advance(100_000);
    expect(leg.lines).toEqual([line]);
  });
});

describe('the connection of a leg', () => {
  it('does not start one that is somebody’s and finds no place', () => {
    const full = () => new AppError('busy', 'as many as may be');
    const { connection, registry, wire } = start({ user: 'ann', admit: full });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    expect(wire.ends).toEqual([4503]);
    expect(registry.legs()).toBe(0);
    expect(connection.isOwned()).toBe(false);
  });

  it('is somebody’s when a session has named it', () => {
    const { connection, attach } = start();
    expect(connection.isOwned()).toBe(false);
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    expect(connection.isOwned()).toBe(false);
    attach();
    expect(connection.isOwned()).toBe(true);
  });

  it('is closed by the code that it is told', () => {
    const { connection, wire } = start({ user: 'ann' });
    connection.close('too much', 'rate_limited');
    expect(wire.ends).toEqual([4429]);
  });

  it('lets a stalled peer go that has taken nothing for ten seconds, and its session knows', () => {
    const { clock, playout, connection, wire, attach, gone } = start({ user: 'ann' });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    const leg = attach()!;
    expect(leg.isCongested()).toBe(false);
    wire.bufferedBytes = 5000;
    expect(leg.isCongested()).toBe(true);
    for (let second = 0; second < 10; second += 1) {
      connection.sweep(clock.now());
      clock.advance(1000);
    }
    expect(wire.ends).toEqual([]);
    connection.sweep(clock.now());
    expect(wire.ends).toEqual(['terminated']);
    expect(gone).toEqual(['the far side takes nothing']);
    expect(playout.players()).toBe(0);
  });

  it('keeps a slow peer that takes something', () => {
    const { clock, connection, wire, attach } = start({ user: 'ann' });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    attach();
    for (let second = 0; second < 60; second += 1) {
      wire.bufferedBytes = second % 8 === 0 ? 1000 : 5000;
      connection.sweep(clock.now());
      clock.advance(1000);
    }
    expect(wire.ends).toEqual([]);
  });

  it('ends with a codec that fails, alone and without a word of what it was about', () => {
    const sound = audioSocketLeg.open();
    const codec = {
      ...sound,
      read(frame: LegFrame) {
        if (frame.length === 3) throw new Error('what is spoken');
        return sound.read(frame);
      },
    };
    const { clock, connection, wire, attach, gone, errors } = start({ user: 'ann', codec });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    attach();
    connection.receive(Buffer.alloc(3));
    clock.flush();
    expect(wire.ends).toEqual([1011]);
    expect(gone).toHaveLength(1);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain('what is spoken');
  });

  it('ends with pacing that fails by itself, and its session knows', () => {
    const sound = audioSocketLeg.open();
    let isBroken = false;
    const codec: LegCodec = {
      ...sound,
      media(bytes) {
        if (isBroken) throw new Error('what is spoken');
        return sound.media(bytes);
      },
    };
    const { clock, playout, connection, wire, attach, gone, errors } = start({ user: 'ann', codec });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    const leg = attach()!;
    leg.play({ turn: 'a', atMs: 0, ms: 200, bytes: new Uint8Array(3200) });
    expect(wire.sent.length).toBeGreaterThan(0);
    isBroken = true;
    clock.advance(1000);
    expect(wire.ends).toEqual([1011]);
    expect(gone).toHaveLength(1);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain('what is spoken');
    expect(playout.players()).toBe(0);
  });

  it('ends with what cannot be written to it, behind the work of the session that plays', () => {
    const sound = audioSocketLeg.open();
    const codec: LegCodec = {
      ...sound,
      media() {
        throw new Error('what is spoken');
      },
    };
    const { clock, connection, wire, attach, gone, errors } = start({ user: 'ann', codec });
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    const leg = attach()!;
    leg.play({ turn: 'a', atMs: 0, ms: 20, bytes: new Uint8Array(320) });
    leg.play({ turn: 'a', atMs: 20, ms: 20, bytes: new Uint8Array(320) });
    expect(gone).toEqual([]);
    clock.flush();
    expect(wire.ends).toEqual([1011]);
    expect(gone).toHaveLength(1);
    expect(errors).toHaveLength(1);
  });

  it('closes on a peer that does not say who it is', () => {
    const { clock, connection, wire } = start({ user: 'ann' });
    connection.receive(AUDIO);
    clock.advance(9999);
    expect(wire.ends).toEqual([]);
    clock.advance(1);
    expect(wire.ends).toEqual([4408]);
  });

  it('closes a leg that nobody names within ten seconds, without hanging up the call', () => {
    const { clock, registry, connection, wire } = start();
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    expect(registry.legs()).toBe(1);
    clock.advance(10_000);
    expect(wire.ends).toEqual([4401]);
    expect(registry.legs()).toBe(0);
    expect(wire.sent.every((message) => message[0] === 0x10)).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('lets a call go that no session has, and one that is to end when its session leaves before that', () => {
    const forsaken = start({ user: 'ann' });
    forsaken.connection.receive(Buffer.concat([HELLO, AUDIO]));
    forsaken.clock.advance(60_000);
    expect(forsaken.wire.ends).toEqual([4408]);

    const { connection, wire, attach, registry, clock } = start();
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    const leg = attach()!;
    leg.play({ turn: 'a', atMs: 0, ms: 100, bytes: new Uint8Array(1600) });
    leg.finish('a');
    leg.hangUp();
    expect(wire.ends).toEqual([]);
    leg.release();
    clock.advance(10_000);
    expect(wire.ends).toEqual([1000]);
    expect(registry.legs()).toBe(0);
  });

  it('hangs up by its own word for it', () => {
    const { connection, wire, attach, gone } = start();
    connection.receive(Buffer.concat([HELLO, AUDIO]));
    attach()!.hangUp();
    expect(wire.sent).toEqual([Buffer.from([0, 0, 0])]);
    expect(wire.ends).toEqual([1000]);
    expect(gone).toEqual(['hung up']);
  });
});
