// What every leg promises, asked of its codec with the simulated platform at the other end: nothing here knows a wire format.
import { beforeEach, describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import type { Leg, LegAudio, LegCodec, LegFrame, LegInput } from '../../src/legs/leg.ts';
import { createLegPlayout } from '../../src/playout/leg-playout.ts';
import type { CarrierOrder, CarrierSide } from '../../testkit/carriers/carrier-side.ts';
import { malformedFrames } from '../support/malformed-frames.ts';

export type LegSubject = {
  readonly leg: Leg;
  /** What its calls carry in these cases. */
  readonly audio: LegAudio;
  side(): CarrierSide;
  /** `played` where the platform tells that a mark was played, not only that it is gone. */
  readonly fate: 'echoed' | 'played';
};

const CALL = { callId: 'call-1', token: 'dXNlcg.session.c2lnbmF0dXJl' };
const KINDS: ReadonlySet<string> = new Set([
  'start',
  'unserved',
  'audio',
  'mark',
  'digit',
  'flow',
  'stop',
  'unknown',
]);
const MALFORMED = 100_000;
const SPLITS = 60;
const SEED = 20_261_122;

const bytesPerMsOf = ({ format, sampleRate }: LegAudio) => ((format === 'raw' ? 2 : 1) * sampleRate) / 1000;
const SILENCE = { mulaw: [0xff], alaw: [0xd5], raw: [0, 0] } as const;

export function legContract(name: string, subject: LegSubject): void {
  const { leg, audio } = subject;
  const bytesPerMs = bytesPerMsOf(audio);
  const silence = Uint8Array.from(SILENCE[audio.format]);
  const whole = (ms: number) => Math.round(ms * bytesPerMs);
  /** Samples from 1 on, so that silence and what is filled up can be told from them; none is −1. */
  const sound = (bytes: number, from = 0) =>
    Uint8Array.from({ length: bytes }, (_, at) => 1 + ((from + at) % 99));

  describe(`the leg of ${name}`, () => {
    let codec: LegCodec;
    let side: CarrierSide;
    const readAll = (frames: readonly LegFrame[]): readonly LegInput[] =>
      frames.flatMap((frame) => codec.read(frame));
    const takenAll = (frames: readonly LegFrame[]): readonly CarrierOrder[] =>
      frames.map((frame) => side.read(frame));
    const begin = () => {
      codec = leg.open();
      side = subject.side();
      return readAll(side.open(CALL));
    };
    beforeEach(() => void begin());

    it('begins with the call, its token and its audio, once', () => {
      expect(begin()).toEqual([{ kind: 'start', ...CALL, audio }]);
      const again = readAll(subject.side().open({ callId: 'call-2', token: 'other' }));
      expect(again.filter(({ kind }) => kind === 'start')).toEqual([]);
    });

    it('needs no token in the first message', () => {
      codec = leg.open();
      const opened = subject.side().open({ callId: 'call-1', token: undefined });
      expect(readAll(opened)).toEqual([{ kind: 'start', callId: 'call-1', token: undefined, audio }]);
    });

    it('hears the caller byte by byte', () => {
      const said = sound(whole(20));
      const [input] = readAll([side.inbound(said, 0)]);
      expect(input).toMatchObject({ kind: 'audio' });
      expect(Buffer.from((input as { bytes: Uint8Array }).bytes)).toEqual(Buffer.from(said));
    });

    it('hears nothing before the call has begun', () => {
      const early = leg.open().read(side.inbound(sound(whole(20)), 0));
      for (const { kind } of early) expect(['unknown', 'audio']).toContain(kind);
    });

    it('sends whatever pieces a turn has as messages that the platform takes, and not a byte is lost', () => {
      const number = seededNumbers(SEED, 1);
      const least = audio.format === 'raw' ? 2 : 1;
      for (let split = 0; split < SPLITS; split += 1) {
        begin();
        const orders: CarrierOrder[] = [];
        const playout = createLegPlayout({
          codec,
          send: (frame) => void orders.push(side.read(frame)),
          onPlayed() {},
          bytesPerMs,
          silence,
          nowMs: () => 0,
        });
        let sent = 0;
        const pieces = 1 + Math.floor(number() * 12);
        for (let piece = 0; piece < pieces; piece += 1) {
          const bytes = least * (1 + Math.floor(number() * whole(number() < 0.1 ? 700 : 60)));
          const isTail = piece === pieces - 1;
          const length = number() < 0.5 && !isTail ? whole(20) : bytes;
          const ms = length / bytesPerMs;
          playout.play({ turn: 'a', atMs: sent / bytesPerMs, ms, bytes: sound(length, sent) });
          sent += length;
        }
        playout.finish('a');
        expect(orders.filter(({ kind }) => kind !== 'media' && kind !== 'mark')).toEqual([]);
        const heard = Buffer.concat(orders.flatMap((order) => (order.kind === 'media' ? [order.bytes] : [])));
        expect(heard.subarray(0, sent).equals(Buffer.from(sound(sent)))).toBe(true);
        const filled = heard.subarray(sent);
        expect(filled.every((byte, at) => byte === silence[at % silence.length])).toBe(true);
        expect(filled.length).toBeLessThanOrEqual(whole(Math.max(20, codec.rules().shortestMs ?? 0)));
      }
    });

    it('has its marks back by name', () => {
      expect(takenAll(codec.mark!('0.17'))).toEqual([{ kind: 'mark', name: '0.17' }]);
      expect(readAll(side.mark('0.17', 'played'))).toEqual([
        { kind: 'mark', name: '0.17', fate: subject.fate },
      ]);
    });

    it('never takes a mark that was cleared for played', () => {
      const played: number[] = [];
      const playout = createLegPlayout({
        codec,
        send: (frame) => void side.read(frame),
        onPlayed: (_turn, ms) => void played.push(ms),
        bytesPerMs,
        silence,
        nowMs: () => 0,
      });
      for (let at = 0; at < 10; at += 1)
        playout.play({ turn: 'a', atMs: at * 100, ms: 100, bytes: sound(whole(100)) });
      playout.clear(() => undefined);
      const echoes = Array.from({ length: 12 }, (_, at) => side.mark(`0.${at + 1}`, 'cleared')).flat();
      for (const input of readAll(echoes)) if (input.kind === 'mark') playout.marked(input.name, input.fate);
      expect(played).toEqual([]);
    });

    it('clears by one order, and what tells that it has been done is nothing else', () => {
      expect(takenAll(codec.clear!()).filter(({ kind }) => kind !== 'fault')).toContainEqual({
        kind: 'clear',
      });
      expect(takenAll(codec.clear!()).filter(({ kind }) => kind === 'fault')).toEqual([]);
      expect(readAll(side.cleared?.() ?? [])).toEqual([]);
    });

    it('hears digits, and the end where there is a word for it', () => {
      expect(readAll(side.digit('7'))).toEqual([{ kind: 'digit', digit: '7' }]);
      const end = side.end();
      if (end.length > 0) expect(readAll(end)).toContainEqual({ kind: 'stop' });
    });

    it('hangs up by a word that the platform knows, where there is one', () => {
      for (const order of takenAll(codec.hangUp?.() ?? [])) expect(order).toEqual({ kind: 'hang-up' });
    });

    it('counts what it does not know as unknown', () => {
      for (const frame of ['', '{', '[]', 'null', '{}', '{"event":"__proto__"}', '{"event":"constructor"}'])
        expect(codec.read(frame)).toEqual([{ kind: 'unknown' }]);
    });
  });
}

/** Once for each leg: what its calls carry makes no difference. */
export function takesMalformedFrames(subject: LegSubject): void {
  const { leg, audio } = subject;
  it(`the ${leg.kind} leg takes ${MALFORMED} malformed frames, before and after the call has begun`, () => {
    const side = subject.side();
    const examples = [
      ...side.open(CALL),
      side.inbound(new Uint8Array(bytesPerMsOf(audio) * 20), 0),
      ...side.mark('0.1', 'played'),
      ...side.digit('1'),
      ...side.end(),
      ...(side.cleared?.() ?? []),
    ];
    const begun = leg.open();
    for (const frame of subject.side().open(CALL)) begun.read(frame);
    let fresh = leg.open();
    let read = 0;
    for (const frame of malformedFrames(examples, seededNumbers(SEED, 2), MALFORMED)) {
      if (read++ % 16 === 0) fresh = leg.open();
      for (const input of [...begun.read(frame), ...fresh.read(frame)]) {
        if (!KINDS.has(input.kind)) throw new Error(`an input of the kind ${input.kind}`);
        if (input.kind === 'start' && !(bytesPerMsOf(input.audio) >= 8))
          throw new Error('a call without audio');
      }
    }
    expect(read).toBe(MALFORMED);
  });
}
