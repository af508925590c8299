// SIGTERM to the built program, as an orchestrator sends it, and what its logs hold afterwards.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type RunningProgram, startProgram } from '../support/program.ts';
import { exchange, upgradeRequest } from '../support/raw-session.ts';
import { spoken } from '../support/running-gateway.ts';
import {
  audio,
  type Script,
  type ScriptedUpstream,
  stallAfter,
  startScriptedUpstream,
} from '../support/scripted-upstream.ts';
import { openProbe, type SessionProbe } from '../support/session-probe.ts';

const CANARY = {
  client: 'canary-client-key',
  upstream: 'canary-upstream-key',
  admin: 'canary-admin-key',
  text: 'canarytext',
};

let upstream: ScriptedUpstream;
let program: RunningProgram;
let port: number;
let dataDir: string;

beforeAll(buildProgram);
afterEach(async () => {
  program.child.kill('SIGKILL');
  await program.ended;
  await upstream.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function serve(script: Script, env: Record<string, string> = {}): Promise<void> {
  upstream = await startScriptedUpstream(script);
  dataDir = mkdtempSync(join(tmpdir(), 'voxgate-drain-'));
  program = startProgram(['serve', '--port', '0'], {
    env: {
      VOXGATE_UPSTREAM_URL: upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: `upstream-user:${CANARY.upstream}`,
      VOXGATE_LOG_LEVEL: 'debug',
      VOXGATE_DATA_DIR: dataDir,
      ...env,
    },
  });
  const [, digits] = await program.printed(/ws:\/\/127\.0\.0\.1:(\d+)\/v1\/session/);
  port = Number(digits);
}

const session = (query = '', headers: Record<string, string> = {}): Promise<SessionProbe> =>
  openProbe(`ws://127.0.0.1:${port}/v1/session${query}`, { headers });

describe('SIGTERM', () => {
  it('no longer ready, no upgrade, goaway, the playing turn to its end, 1012, exit code 0', async () => {
    await serve(audio(spoken()));
    const [playing, quiet] = [await session(), await session()];
    playing.send({ type: 'speak', turn: 'a', text: 'Let me finish.' });
    await playing.nextAudio();
    program.child.kill('SIGTERM');
    expect(await playing.event('goaway')).toEqual({ type: 'goaway', deadlineMs: 60_000 });
    expect(await quiet.closed).toEqual({ code: 1012, reason: 'shutting_down' });
    expect(quiet.events('goaway').length).toBe(1);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    const refused = await exchange(port, upgradeRequest(port));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(await playing.ended('a')).toMatchObject({ outcome: 'complete' });
    await playing.event('heard');
    expect(await playing.closed).toEqual({ code: 1012, reason: 'shutting_down' });
    expect((await program.ended).code).toBe(0);
  });

  it('for a while it is not ready and takes everything still: a balancer takes a moment to notice', async () => {
    await serve(audio(spoken()), { VOXGATE_DRAIN_DELAY_MS: '600000' });
    const before = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
    const early = await session();
    program.child.kill('SIGTERM');
    await vi.waitFor(async () => {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([status, headers.get('connection')]).toEqual([503, 'close']);
    });
    const late = await session();
    for (const each of [early, late]) {
      each.send({ type: 'speak', turn: 'a', text: 'There is time.' });
      expect(await each.ended('a')).toMatchObject({ outcome: 'complete' });
      expect(each.events('goaway')).toEqual([]);
    }
    const job = await fetch(`http://127.0.0.1:${port}/api/v1/tts/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(job.status).not.toBe(503);
    expect(job.headers.get('connection')).toBe('close');
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(1);
  });

  it('a second one ends at once, and says so by its exit code', async () => {
    await serve(stallAfter(spoken(20)));
    const probe = await session();
    probe.send({ type: 'speak', turn: 'a', text: 'A very long story.' });
    await probe.nextAudio();
    program.child.kill('SIGTERM');
    await probe.event('goaway');
    const fromMs = performance.now();
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(1);
    // The drain would take a minute.
    expect(performance.now() - fromMs).toBeLessThan(30_000);
  });

  it('with nobody there is immediate, also on SIGINT', async () => {
    await serve(audio(spoken()));
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
  });

  it('turns that are not over by the deadline are cut', async () => {
    await serve(stallAfter(spoken(20)), { VOXGATE_DRAIN_MS: '200' });
    const probe = await session();
    probe.send({ type: 'speak', turn: 'a', text: 'A very long story.' });
    await probe.nextAudio();
    program.child.kill('SIGTERM');
    expect((await probe.closed).code).toBe(1012);
    expect((await program.ended).code).toBe(0);
  });
});

describe('secrets', () => {
  it('neither keys nor spoken text reach logs, metrics or messages, at any level', async () => {
    // The service repeats what it was sent, as careless ones do.
    const echo: Script = (reply) => {
      const { headers, body } = reply.request;
      reply.start(400, { 'content-type': 'application/json' });
      reply.write(
        JSON.stringify({
          errorMessage: `no: ${JSON.stringify(body)} ${headers.authorization}`,
          errorId: CANARY.text,
        }),
      );
      reply.end();
    };
    await serve(echo, {
      VOXGATE_API_KEYS: `canary-user:${CANARY.client}`,
      VOXGATE_ADMIN_KEY: CANARY.admin,
    });
    const authorization = `Bearer ${CANARY.client}`;
    const probe = await session('?captions=words', { authorization });
    probe.send(
      { type: 'speak', turn: 'a', text: `The ${CANARY.text} is spoken.` },
      { type: 'speak', turn: 'b', text: CANARY.text, [CANARY.text]: CANARY.text },
      { type: 'speak', turn: 'c', text: CANARY.text, voice: '' },
      { type: 'speak', turn: 'd', dialogue: [{ speaker: 3, text: CANARY.text }] },
      { type: CANARY.text },
    );
    await probe.ended('a');
    probe.send({ type: 'ping' });
    await probe.event('pong');
    const wrongKey = await exchange(
      port,
      upgradeRequest(port, { headers: [`Authorization: Bearer ${CANARY.client}x`] }),
    );
    const wrongPreset = await exchange(
      port,
      upgradeRequest(port, {
        target: `/v1/session?key=${CANARY.client}&prompt=${CANARY.text}`,
        headers: [`Authorization: ${authorization}`],
      }),
    );
    const scrape = await (
      await fetch(`http://127.0.0.1:${port}/metrics`, {
        headers: { authorization: `Bearer ${CANARY.admin}` },
      })
    ).text();
    program.child.kill('SIGTERM');
    const { stdout, stderr } = await program.ended;
    const messages = probe.events('error');
    // The field's own name is the client's to mend; what stood in it is not repeated.
    const told = messages.filter(({ turn }) => turn !== 'b').map(({ message }) => message);
    const places = {
      stdout,
      stderr,
      scrape,
      told: told.join(),
      wrongKey: wrongKey.body,
      wrongPreset: wrongPreset.body,
    };
    expect(messages.length).toBe(5);
    expect(stderr).toContain('"level"');
    for (const [place, content] of Object.entries(places)) {
      for (const canary of Object.values(CANARY)) expect(content, place).not.toContain(canary);
    }
  });
});
