// What the fake carrier finds: each thing that a gateway can do wrong, done to it.
import { describe, expect, it } from 'vitest';
import type { CallEvents, CallFrame } from '../../../testkit/carriers/call-transport.ts';
import { type CallLateness, startSimulatedCall } from '../../../testkit/carriers/simulated-call.ts';
import { createTwilioSide } from '../../../testkit/carriers/twilio-side.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';

const SID = `MZ${'0'.repeat(32)}`;
const message = (event: string, fields: object = {}) => JSON.stringify({ event, streamSid: SID, ...fields });
const media = (ms: number) =>
  message('media', { media: { payload: Buffer.alloc(ms * 8, 1).toString('base64') } });
const mark = (name: string) => message('mark', { mark: { name } });

async function start(
  onClear: 'echo' | 'drop' | 'label' = 'echo',
  { silentMs, ...lateness }: CallLateness & { readonly silentMs?: number } = {},
) {
  const fake = createFakeClock();
  let heldUpMs = 0;
  const clock = Object.assign(Object.create(fake) as FakeClock, { now: () => fake.now() + heldUpMs });
  const sent: CallFrame[] = [];
  let gateway: CallEvents | undefined;
  const call = await startSimulatedCall({
    side: createTwilioSide(),
    rules: { bytesPerMs: 8, mostBufferedMs: 1000, onClear, ...(silentMs !== undefined && { silentMs }) },
    call: { callId: 'CA1', token: 'token' },
    url: 'ws://gateway',
    clock,
    says: () => new Uint8Array(160).fill(0xff),
    lateness,
    async transport(_url, events) {
      gateway = events;
      return { send: (frame) => void sent.push(frame), close: () => events.onClosed(1000) };
    },
  });
  return {
    clock,
    /** Time goes by, and nothing of this process with it. */
    holdUp: (ms: number) => {
      heldUpMs += ms;
    },
    call,
    events: () => sent.map((frame) => (JSON.parse(frame as string) as { event: string }).event),
    sent,
    send: (...frames: CallFrame[]) => {
      for (const frame of frames) gateway!.onFrame(frame);
    },
    close: () => gateway!.onClosed(1006),
  };
}

describe('a simulated call', () => {
  it('says what it is and then 20 ms of the caller every 20 ms, on time however late a timer is', async () => {
    const { clock, events } = await start();
    expect(events()).toEqual(['connected', 'start', 'media']);
    clock.advance(1000);
    expect(events()).toHaveLength(3 + 50);
  });

  it('says what it is, and then what the caller says, as late as it is told to', async () => {
    const { clock, events } = await start('echo', { startMs: 300, firstFrameMs: 560 });
    clock.advance(280);
    expect(events()).toEqual([]);
    clock.advance(20);
    expect(events()).toEqual(['connected', 'start']);
    clock.advance(540);
    expect(events()).toHaveLength(2);
    clock.advance(40);
    expect(events().slice(2)).toEqual(['media', 'media']);
  });

  it('is ended where nothing has gone either way for two seconds, and by nothing else', async () => {
    const silent = await start('echo', { firstFrameMs: 10_000, silentMs: 2000 });
    silent.clock.advance(1900);
    silent.send(media(20));
    silent.clock.advance(1980);
    expect(silent.call.faults).toEqual([]);
    silent.clock.advance(40);
    expect(silent.call.faults).toEqual(['nothing has gone either way for 2000 ms: the call is ended']);
    expect(await silent.call.closed).toBe(1000);
    const heard = await start('echo', { silentMs: 2000 });
    heard.clock.advance(10_000);
    expect(heard.call.faults).toEqual([]);
  });

  it('says keys and the end of the call', async () => {
    const { call, events, send } = await start();
    call.digit('5');
    call.hangUp();
    expect(events().slice(-2)).toEqual(['dtmf', 'stop']);
    send(media(20));
    expect(call.faults).toEqual([]);
  });

  it('stops when the connection is gone', async () => {
    const { clock, call, close, events } = await start();
    close();
    clock.advance(1000);
    expect(events()).toHaveLength(3);
    expect(clock.timers).toBe(0);
    expect(await call.closed).toBe(1006);
  });

  it('plays what comes and echoes a mark when what is before it has been played', async () => {
    const { clock, call, send, events } = await start();
    send(media(200), mark('m'));
    clock.advance(180);
    expect(events()).not.toContain('mark');
    clock.advance(40);
    expect(events()).toContain('mark');
    expect(call.report()).toMatchObject({ heardMs: 200, marks: { sent: 1, echoed: 1, lost: 0 }, faults: [] });
  });

  it.each([
    ['a binary frame', new Uint8Array(160), /31950/],
    ['what is not JSON', 'hello', /not JSON/],
    ['an event that is not known', message('play'), /does not know/],
    ['a field too many', message('clear', { sequenceNumber: '1' }), /sequenceNumber/],
    ['another stream', JSON.stringify({ event: 'clear', streamSid: 'MZ1' }), /stream id/],
    ['more than is kept', media(1200), /1200 ms were sent ahead, 1000 are kept/],
  ] as const)('finds %s', async (_what, frame, fault) => {
    const { call, send } = await start();
    send(frame);
    expect(call.report().faults).toEqual([expect.stringMatching(fault)]);
  });

  it('does not take what it read late for sent ahead', async () => {
    const { call, send, holdUp } = await start();
    holdUp(60);
    send(media(1040));
    expect(call.report().faults).toEqual([]);
    send(media(40));
    expect(call.report().faults).toEqual(['1080 ms were sent ahead, 1000 are kept']);
  });

  it('finds audio that comes between a clear and the next turn', async () => {
    const { clock, call, send } = await start();
    call.announceTurn();
    send(media(200));
    clock.advance(100);
    send(message('clear'), media(20));
    clock.advance(300);
    call.announceTurn();
    send(media(100));
    expect(call.report()).toMatchObject({ clears: 1, staleBytes: 160 });
  });

  it('knows nothing of stale audio when nobody announces turns', async () => {
    const { call, send } = await start();
    send(media(200), message('clear'), media(20));
    expect(call.report().staleBytes).toBeNull();
  });

  it('finds a silence inside of a turn, and takes none between turns for one', async () => {
    const { clock, call, send } = await start();
    call.announceTurn();
    send(media(100));
    clock.advance(150);
    send(media(100));
    clock.advance(400);
    call.announceTurn();
    clock.advance(100);
    send(media(100));
    const { underruns } = call.report();
    expect(underruns.count).toBe(1);
    expect(underruns.ms).toBeGreaterThanOrEqual(30);
    expect(underruns.ms).toBeLessThanOrEqual(60);
  });

  it('tells how far ahead and how evenly audio came', async () => {
    const { clock, call, send } = await start();
    send(media(200));
    for (const lateMs of [0, 0, 15, 0, 0]) {
      clock.advance(20 + lateMs);
      send(media(20));
      clock.advance(0);
    }
    const { leadMs, jitterMs } = call.report();
    expect(leadMs!.most).toBeGreaterThanOrEqual(200);
    expect(leadMs!.most).toBeLessThanOrEqual(220);
    expect(jitterMs).toMatchObject({ median: 15, most: 15 });
  });

  it('takes short messages that come together for one arrival', async () => {
    const { clock, call, send } = await start();
    send(media(200));
    for (let index = 0; index < 5; index += 1) {
      clock.advance(100);
      send(media(20), media(20), media(20), media(20), media(20));
    }
    expect(call.report().jitterMs).toMatchObject({ most: 0 });
  });

  it.each([
    ['echo', 2, 0],
    ['label', 2, 0],
    ['drop', 0, 2],
  ] as const)(
    'does with the marks that a clear finds as the platform does: %s',
    async (onClear, echoed, lost) => {
      const { call, send } = await start(onClear);
      send(media(200), mark('a'), media(200), mark('b'), message('clear'));
      expect(call.report().marks).toEqual({ sent: 2, echoed, lost });
      expect(call.report().heardMs).toBe(0);
    },
  );
});
