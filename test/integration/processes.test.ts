// What only several processes show, with two: what is one to callers, whichever process they have met, and what is left
// when one of them dies. Real processes, one port.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { runProgram } from '../support/program.ts';
import { type RunningGateway, SPEECH_MS, spoken, startRunningGateway } from '../support/running-gateway.ts';
import {
  audio,
  type Script,
  type ScriptedUpstream,
  startScriptedUpstream,
  status,
} from '../support/scripted-upstream.ts';
import type { SessionProbe } from '../support/session-probe.ts';

type Sessions = { readonly sessions: readonly { readonly id: string; readonly process: number }[] };

const listed = async ({ url }: RunningGateway): Promise<Sessions['sessions']> =>
  ((await (await fetch(`${url}/v1/sessions`)).json()) as Sessions).sessions;
const idOf = async (probe: SessionProbe): Promise<string> => (await probe.event('ready')).session;

/** A session of each process, in the order of their numbers. */
async function onePerProcess(gateway: RunningGateway, query?: string): Promise<[SessionProbe, SessionProbe]> {
  const found = new Map<number, SessionProbe>();
  while (found.size < 2) {
    const probe = await gateway.session(query);
    const id = await idOf(probe);
    const { process } = (await listed(gateway)).find((session) => session.id === id)!;
    if (found.has(process)) {
      probe.socket.close();
      await probe.closed;
    } else found.set(process, probe);
  }
  return [found.get(1)!, found.get(2)!];
}

const speak = (probe: SessionProbe, turn: string) =>
  probe.send({ type: 'speak', turn, text: 'Hello there, this is the office.' });
const heardOf = (probe: SessionProbe, turn: string) => probe.event('heard', (event) => event.turn === turn);

describe('two processes are one gateway', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({ processes: 2, env: { VOXGATE_ADMIN_PORT: '0' } });
  });
  afterAll(() => gateway.close());

  it('in its list of sessions and in its figures', async () => {
    const probes = await onePerProcess(gateway, 'pace=burst');
    for (const probe of probes) expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    const ids = await Promise.all(probes.map(idOf));
    expect((await listed(gateway)).map(({ id, process }) => [id, process])).toEqual(
      expect.arrayContaining([
        [ids[0], 1],
        [ids[1], 2],
      ]),
    );
    await expect.poll(() => gateway.metric('voxgate_sessions')).toBe(2);
    expect(await gateway.metric('voxgate_turns_total')).toBe(2);
    expect(await gateway.metric('voxgate_upstream_requests_total')).toBe(2);
    expect(await gateway.metric('voxgate_turn_ttfa_seconds_count')).toBe(2);
    for (const probe of probes) probe.socket.close();
  });

  it('to an operator, who ends a session of either', async () => {
    for (const probe of await onePerProcess(gateway)) {
      const id = await idOf(probe);
      const answer = await fetch(`${gateway.url}/v1/operator/sessions/${id}`, { method: 'DELETE' });
      expect(answer.status).toBe(204);
      expect(await probe.closed).toEqual({ code: 4410, reason: 'ended_by_operator' });
    }
    const view = (await (await fetch(`${gateway.url}/v1/operator`)).json()) as {
      services: { keys: object[] }[];
    };
    expect(view.services.map(({ keys }) => keys.length)).toEqual([1]);
  });

  it('to onlookers, who may come by either, and to tokens that are taken back', async () => {
    const [first, second] = await onePerProcess(gateway);
    for (const probe of [first, second]) {
      const id = await idOf(probe);
      const looks = await Promise.all(
        Array.from({ length: 4 }, () => fetch(`${gateway.url}/v1/sessions/${id}/captions.vtt`)),
      );
      expect(looks.map((look) => look.status)).toEqual([200, 200, 200, 200]);
      const readers = looks.map((look) => look.body!.getReader());
      speak(probe, 'a');
      const texts = await Promise.all(readers.map(untilCue));
      expect(new Set(texts).size).toBe(1);
      await Promise.all(readers.map((reader) => reader.cancel()));
    }
    const session = await idOf(second);
    const issued = await fetch(`${gateway.url}/v1/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ scope: 'watch', session }),
    });
    const { id, token } = (await issued.json()) as { id: string; token: string };
    const look = () => fetch(`${gateway.url}/v1/sessions/${session}/events?token=${token}`);
    const open = await Promise.all([look(), look()]);
    expect(open.map(({ status: code }) => code)).toEqual([200, 200]);
    await fetch(`${gateway.url}/v1/tokens/${id}`, { method: 'DELETE' });
    for (const reply of open) expect(await reply.text()).toContain('"unauthorized"');
    expect((await Promise.all([look(), look()])).map(({ status: code }) => code)).toEqual([401, 401]);
    for (const probe of [first, second]) probe.socket.close();
  });

  it('to a call, to which the sessions of both speak in turn', async () => {
    const sessions = await onePerProcess(gateway);
    const call = await dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
      callId: 'CA1',
    });
    const heardMs = () => call.playout.heard.reduce((sum, { bytes }) => sum + bytes.length / 8, 0);
    // There and back: wherever the call has come in, it moves at least twice.
    for (const [round, session] of [...sessions, ...sessions].entries()) {
      const turn = `turn-${round}`;
      const beforeMs = heardMs();
      session.send({ type: 'attach', leg: { callSid: 'CA1' } });
      await expect.poll(() => session.events('attached').length).toBe(round < 2 ? 1 : 2);
      call.announceTurn();
      speak(session, turn);
      await session.event('started', (event) => event.turn === turn);
      call.digit(String(round));
      expect(await session.event('dtmf', ({ digit }) => digit === String(round))).toBeDefined();
      const heard = await heardOf(session, turn);
      expect(heard).toMatchObject({ playedBy: 'mark', remainingText: '' });
      expect(heard.playedMs).toBeGreaterThanOrEqual(SPEECH_MS - 60);
      expect(heardMs() - beforeMs).toBeGreaterThanOrEqual(SPEECH_MS - 60);
      session.send({ type: 'detach' });
      await expect.poll(() => session.events('detached').length).toBe(round < 2 ? 1 : 2);
    }
    expect(call.faults).toEqual([]);
    // One that speaks has it to itself; the other is told so at once.
    sessions[0].send({ type: 'attach', leg: { callSid: 'CA1' } });
    await expect.poll(() => sessions[0].events('attached').length).toBe(3);
    sessions[1].send({ type: 'attach', leg: { callSid: 'CA1' } });
    expect(await sessions[1].event('error')).toMatchObject({ code: 'leg_taken' });
    sessions[0].send({ type: 'hangup' });
    expect(await call.closed).toBe(1000);
    for (const session of sessions) session.socket.close();
  });

  it('to a call that a session waits for, and to a barge-in', async () => {
    for (const session of await onePerProcess(gateway)) {
      const { attachToken } = await session.event('ready');
      session.send({ type: 'attach', leg: { token: attachToken } });
      const call = await dial(
        `ws://127.0.0.1:${gateway.port}/v1/legs/twilio/${attachToken}`,
        createTwilioSide(),
        { callId: 'CA2' },
      );
      await session.event('attached');
      speak(session, 'cut');
      await session.event('started');
      await expect.poll(() => call.playout.heard.length).toBeGreaterThan(20);
      session.send({ type: 'cancel', turn: 'cut' });
      const heard = await heardOf(session, 'cut');
      expect(heard.playedMs).toBeGreaterThan(0);
      expect(heard.playedMs).toBeLessThan(SPEECH_MS);
      call.hangUp();
      expect(await session.event('detached')).toMatchObject({ reason: 'the call is over' });
      expect(call.faults).toEqual([]);
      session.socket.close();
    }
  });
});

async function untilCue(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  while (!/-->[^\n]*\n[^\n]+\n\n/.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended with ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return text.slice(0, text.indexOf('\n\n', text.indexOf('-->')));
}

describe('what two processes share', () => {
  const limit = 6;
  let requests = 0;
  let gateway: RunningGateway;
  beforeAll(async () => {
    const strict: Script = (reply) => {
      requests += 1;
      return requests > limit ? status(429)(reply) : audio(spoken())(reply);
    };
    gateway = await startRunningGateway({
      processes: 2,
      script: strict,
      env: {
        VOXGATE_UPSTREAM_KEYS: `upstream-user:upstream-key@${limit}`,
        VOXGATE_UPSTREAM_MAX_WAIT_MS: '120000',
        VOXGATE_MAX_CONNECTIONS_PER_USER: '4',
      },
    });
  });
  afterAll(() => gateway.close());

  it('is a quota, to the last request: the service never has to refuse one', async () => {
    const sessions = await onePerProcess(gateway, 'pace=burst');
    // Ten at once, from both sides.
    for (let turn = 0; turn < 5; turn += 1) for (const probe of sessions) speak(probe, `turn-${turn}`);
    const ended = () =>
      sessions.flatMap((probe) => probe.events('ended')).filter(({ outcome }) => outcome === 'complete');
    await expect.poll(() => ended().length, { timeout: 20_000 }).toBe(limit);
    const late = await onePerProcess(gateway, 'pace=burst');
    for (const probe of late) {
      speak(probe, 'late');
      expect(await probe.event('queued')).toMatchObject({ turn: 'late', reason: 'quota' });
    }
    expect(requests).toBe(limit);
    expect(await gateway.metric('voxgate_key_window_used_ratio')).toBe(1);
    const { keys } = (await (await fetch(`${gateway.url}/v1/pool`)).json()) as { keys: { used: number }[] };
    expect(keys.map(({ used }) => used)).toEqual([limit]);
    for (const probe of [...sessions, ...late]) {
      probe.socket.close();
      await probe.closed;
    }
    await expect.poll(() => listed(gateway)).toEqual([]);
  });

  it('is the room for sessions of a user', async () => {
    const probes: SessionProbe[] = [];
    for (let count = 0; count < 4; count += 1) probes.push(await gateway.session());
    for (let time = 0; time < 2; time += 1) await expect(gateway.session()).rejects.toThrow(/429/);
    probes[0]!.socket.close();
    const knock = () =>
      gateway.session().then(
        () => 'let in',
        () => 'refused',
      );
    await expect.poll(knock).toBe('let in');
  });
});

describe('a process that dies', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({ processes: 2 });
  });
  afterAll(() => gateway.close());

  /** In the order of their numbers, which is that of their making. */
  const playerPids = (): number[] => {
    const { pid } = gateway.child!;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children.trim().split(' ').map(Number);
  };
  const logged = (event: string) => gateway.logLines.filter((line) => line.includes(`"${event}"`));

  it('takes its sessions with it and nothing else, and another takes its place', async () => {
    const [first, second] = await onePerProcess(gateway);
    const call = await dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
      callId: 'CA1',
    });
    first.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await first.event('attached');
    speak(second, 'goes-on');
    await second.event('started');
    process.kill(playerPids()[0]!, 'SIGKILL');
    expect((await first.closed).code).toBe(1006);
    expect(await second.ended('goes-on')).toMatchObject({ outcome: 'complete' });
    await expect.poll(() => logged('player_died').length).toBe(1);
    await expect.poll(() => gateway.metric('voxgate_sessions')).toBe(1);
    await expect.poll(() => logged('player_started').length, { timeout: 30_000 }).toBe(1);
    const [anew, other] = await onePerProcess(gateway);
    expect(await anew.speaks('b')).toMatchObject({ outcome: 'complete' });
    // The call is there for another session, unless its own socket was the dead one's.
    const isThere = await Promise.race([
      call.closed.then(() => false),
      new Promise((resolve) => setTimeout(resolve, 200, true)),
    ]);
    if (isThere === true) {
      other.send({ type: 'attach', leg: { callSid: 'CA1' } });
      expect(await other.event('attached')).toMatchObject({ callSid: 'CA1' });
    }
    expect(await gateway.metric('voxgate_sessions')).toBe(3);
    for (const probe of [second, anew, other]) probe.socket.close();
  });

  it('is a player, when the first process dies: all end', async () => {
    const pids = playerPids();
    const [first, second] = await onePerProcess(gateway);
    gateway.child!.kill('SIGKILL');
    expect((await first.closed).code).toBe(1006);
    expect((await second.closed).code).toBe(1006);
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });
});

describe('two processes before services that list voices', () => {
  let plain: ScriptedUpstream;
  let listing: ScriptedUpstream;
  let gateway: RunningGateway;
  let reads = 0;
  beforeAll(async () => {
    const voiceList = {
      get '/v1/voices'() {
        reads += 1;
        return { voices: [{ voice_id: 'vera-1', name: 'Vera' }, { voice_id: 'ivo-1' }] };
      },
    };
    plain = await startScriptedUpstream(audio(spoken()));
    listing = await startScriptedUpstream(audio(spoken()), voiceList);
    const one = { keys: ['a'], kind: 'openai', name: 'plain' };
    const two = { keys: ['b'], kind: 'elevenlabs', name: 'listing' };
    gateway = await startRunningGateway({
      processes: 2,
      env: {
        VOXGATE_UPSTREAM_URL: '',
        VOXGATE_UPSTREAM_KEYS: '',
        // One sound for all texts: its words are not theirs.
        VOXGATE_ENDINGS: 'sound',
        VOXGATE_UPSTREAM_SOUND: 'mp3',
        VOXGATE_UPSTREAMS: JSON.stringify([
          { ...one, url: `${plain.url.origin}/v1` },
          { ...two, url: listing.url.origin },
        ]),
      },
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await plain?.close();
    await listing?.close();
  });

  it('list the same voices, of which the primary alone has asked, and send each where it is', async () => {
    const probes = await onePerProcess(gateway, 'pace=burst');
    const answer = await fetch(`${gateway.url}/api/v1/voices`, {
      headers: { authorization: 'Bearer any', 'x-user-id': 'any' },
    });
    const ids = ((await answer.json()) as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['vera-1', 'ivo-1']));
    for (const probe of probes) {
      probe.send({ type: 'voices' });
      const { voices } = await probe.event('voices');
      expect(voices.map(({ id }) => id)).toEqual(ids);
      // `plain` is the first, and would take any name; the voice is known to be of the other.
      probe.send({ type: 'speak', turn: 'v', text: 'Hello.', voice: 'vera-1' });
      expect(await probe.event('started')).toMatchObject({ upstream: 'listing' });
      probe.socket.close();
    }
    expect(reads).toBe(1);
  });
});

describe('the end of two processes', () => {
  it('lets what plays in either be heard, and is not ready meanwhile', async () => {
    const gateway = await startRunningGateway({ processes: 2, script: audio(spoken()) });
    const [first, second] = await onePerProcess(gateway);
    speak(first, 'a');
    speak(second, 'a');
    await Promise.all([first.nextAudio(), second.nextAudio()]);
    const stopped = gateway.stop(20_000);
    for (const probe of [first, second]) {
      expect(await probe.event('goaway')).toEqual({ type: 'goaway', deadlineMs: 20_000 });
    }
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
    await expect(gateway.session()).rejects.toThrow(/503/);
    for (const probe of [first, second]) {
      expect(await probe.ended('a')).toMatchObject({ outcome: 'complete' });
      expect(await probe.closed).toEqual({ code: 1012, reason: 'shutting_down' });
    }
    await stopped;
    await gateway.close();
  });

  it('is at the start when the port is taken: one clear line, exit code 1', async () => {
    const gateway = await startRunningGateway({ processes: 1 });
    const folder = mkdtempSync(join(tmpdir(), 'voxgate-taken-'));
    const { code, stderr } = await runProgram(
      ['serve', '--processes', '2', '--port', String(gateway.port), '--log-level', 'error'],
      {
        env: {
          VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
          VOXGATE_UPSTREAM_KEYS: 'upstream-user:upstream-key',
          VOXGATE_DATA_DIR: folder,
        },
      },
    );
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(`VOXGATE_PORT is ${gateway.port}, and .*EADDRINUSE`) as string,
    ]);
  });
});
