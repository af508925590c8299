// What the metrics and the log say is true: each key has its own state however many there are, and each end and each
// refusal is found by the id that its caller has.

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerKeyName } from '../../src/access/bearer-key.ts';
import { LOG_EVENTS } from '../../src/base/log-events.ts';
import { fingerprintOf } from '../../src/upstream/key-digest.ts';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { linesWith } from '../support/log-lines.ts';
import { isMissing } from '../support/missing-programs.ts';
import { exchange, frame, OPCODE, openRawSession, upgradeRequest } from '../support/raw-session.ts';
import {
  type RunningGateway,
  type RunningGatewayOptions,
  readMetric,
  speaking,
  spoken,
  startRunningGateway,
} from '../support/running-gateway.ts';
import { credentialsOf, startRunningService, VOICE } from '../support/running-service.ts';
import { audio, type Script, silence, status } from '../support/scripted-upstream.ts';

/** On a slow machine, too. */
const SOON = { timeout: 50_000 };

let gateway: RunningGateway;
afterAll(() => gateway?.close());
/** Ends the one before. */
const start = async (options: RunningGatewayOptions) => {
  await (gateway as RunningGateway | undefined)?.close();
  gateway = await startRunningGateway(options);
};
const startService = async (options: RunningGatewayOptions) => {
  await gateway.close();
  const service = await startRunningService(options);
  gateway = service;
  return service;
};
const scrape = () => gateway.scrape();
/** The first of these lines, come or coming. */
const line = async (event: string, fields: Readonly<Record<string, unknown>>) => {
  await expect.poll(() => linesWith(gateway.logLines, event, fields).length, SOON).toBe(1);
  return linesWith(gateway.logLines, event, fields)[0]!;
};

/** Keys of the speech service; the first that is used is refused. */
const refusesTheFirstKey = (): Script => {
  let first: string | undefined;
  return (reply) => {
    first ??= reply.request.headers.authorization;
    return (reply.request.headers.authorization === first ? status(401) : audio(spoken()))(reply);
  };
};

describe.each([200, 500])('%d keys of the speech service', (count) => {
  it('have each its own state, and the one that was refused is named', async () => {
    const keys = Array.from({ length: count }, (_, i) => ({ userId: `u${i}`, apiKey: `secret-${i}` }));
    await start({
      script: refusesTheFirstKey(),
      env: { VOXGATE_UPSTREAM_KEYS: keys.map(({ userId, apiKey }) => `${userId}:${apiKey}@100`).join(',') },
    });
    const probe = await gateway.session('pace=burst');
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    const cooled = await line('upstream_key_cools', { reason: 'refused' });
    const text = await scrape();
    const samples = text.split('\n');
    const on = samples.filter((sample) => /^voxgate_key_state\{.*\} 1$/.test(sample));
    const stateOf = (fingerprint: string) =>
      on
        .filter((sample) => sample.includes(`"${fingerprint}"`))
        .map((sample) => /state="(\w+)"/.exec(sample)![1]);
    for (const key of keys) {
      const fingerprint = fingerprintOf(key);
      expect(stateOf(fingerprint), fingerprint).toEqual([fingerprint === cooled.key ? 'refused' : 'ready']);
    }
    expect(on).toHaveLength(count);
    expect(samples.filter((sample) => /^voxgate_quota_mode\{.*\} 1$/.test(sample))).toHaveLength(count);
    expect(samples.filter((sample) => sample.startsWith('voxgate_key_limit{'))).toHaveLength(count);
    expect(text).not.toContain('key="other"');
    expect(text).toContain(`voxgate_upstream_responses_total{key="${String(cooled.key)}",code="401"} 1`);
  });
});

describe('the metrics', () => {
  beforeAll(() => start({}));

  it('have every series from the start', async () => {
    const text = await scrape();
    const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]!);
    const empty = families.filter((name) => !new RegExp(`^${name}(_bucket)?[ {]`, 'm').test(text));
    // Of what is not there: a Redis, a PostgreSQL and a bucket that are not used, and limits of characters that no key has.
    expect(empty.sort()).toEqual([
      'voxgate_database_connections',
      'voxgate_database_up',
      'voxgate_database_waiting',
      'voxgate_files_up',
      'voxgate_key_character_limit',
      'voxgate_key_characters_used_ratio',
      'voxgate_redis_up',
    ]);
    for (const series of [
      'voxgate_turns_total{outcome="failed"} 0',
      'voxgate_ws_closes_total{code="4508"} 0',
      'voxgate_failures_total{of="turn",code="upstream_timeout"} 0',
      'voxgate_failures_total{of="upgrade",code="unauthorized"} 0',
      'voxgate_dialect_sessions{dialect="elevenlabs"} 0',
      'voxgate_legs{kind="twilio"} 0',
      'voxgate_upstream_requests_total{outcome="upstream_unreachable"} 0',
      'voxgate_http_requests_total{route="/api/v1/tts/stream",status="429"} 0',
      'voxgate_works_total{kind="playnote",status="failed"} 0',
    ])
      expect(text).toContain(`\n${series}\n`);
  });

  it('tell of the process, its build and what waits', async () => {
    await expect
      .poll(async () => readMetric(await scrape(), 'voxgate_storage_free_bytes'), SOON)
      .toBeGreaterThan(0);
    const text = await scrape();
    expect(text).toContain(`voxgate_build_info{version="0.0.0-test",node="${process.versions.node}"} 1`);
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_heap_size_used_bytes',
      'process_start_time_seconds',
    ])
      expect(readMetric(text, name), name).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(readMetric(text, 'process_open_fds')).toBeGreaterThan(3);
    for (const name of [
      'voxgate_works_waiting',
      'voxgate_works_oldest_waiting_seconds',
      'voxgate_webhooks_waiting',
    ])
      expect(readMetric(text, name), name).toBe(0);
  });

  it.skipIf(isMissing('promtool'))('are what promtool takes for right', async () => {
    const probe = await gateway.session('pace=burst');
    await probe.speaks('a');
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: await scrape(), encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  });
});

describe('the log', () => {
  it('has one line for a session, by its id', async () => {
    await start({ env: { VOXGATE_API_KEYS: 'ann:right' } });
    const probe = await gateway.session('pace=burst', { headers: { authorization: 'Bearer right' } });
    const { session } = await probe.event('ready');
    await probe.speaks('a');
    await probe.event('heard');
    probe.socket.close(1000);
    await probe.closed;
    expect(await line('session_ended', { session })).toMatchObject({
      level: 'info',
      tenant: 'ann',
      dialect: 'native',
      key: callerKeyName('right'),
      outcome: 'closed',
      close: 1000,
      turns: 1,
      failed: 0,
      firstAudioMs: expect.any(Number) as number,
      heardSeconds: expect.closeTo(2.3, 0) as number,
    });
    expect(linesWith(gateway.logLines, 'session_ended')).toHaveLength(1);
  });

  it('has how much was heard of a turn that a caller ran away from', async () => {
    await start({});
    const probe = await gateway.session();
    const { session } = await probe.event('ready');
    probe.send({ type: 'speak', turn: 'a', text: 'Hello there.' });
    await probe.nextAudio();
    await new Promise((resolve) => setTimeout(resolve, 300));
    probe.terminate();
    const { heardSeconds, ...ended } = await line('session_ended', { session });
    expect(ended).toMatchObject({ outcome: 'lost', close: 1006, turns: 0 });
    expect(heardSeconds).toBeGreaterThan(0.1);
    expect(heardSeconds).toBeLessThan(2.4);
  });

  it('has a failed turn, its retries and the key, by session and turn', async () => {
    await start({ script: status(500) });
    const probe = await gateway.session('pace=burst');
    const { session } = await probe.event('ready');
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'failed' });
    const key = fingerprintOf({ userId: 'upstream-user', apiKey: 'upstream-key' });
    const ids = { session, turn: 'a' };
    const failed = await line('turn_failed', ids);
    expect(failed).toMatchObject({
      level: 'warn',
      tenant: 'local',
      outcome: 'failed',
      code: 'upstream_unreachable',
    });
    expect(
      linesWith(gateway.logLines, 'upstream_retry', { ...ids, key, status: 500 }).length,
    ).toBeGreaterThan(0);
    const { code } = await line('upstream_gave_up', { ...ids, key, status: 500 });
    expect(code).toBe('upstream_unreachable');
    const text = await scrape();
    expect(text).toContain('voxgate_failures_total{of="turn",code="upstream_unreachable"} 1\n');
    probe.socket.close();
    expect(await line('session_ended', { session })).toMatchObject({
      turns: 1,
      failed: 1,
      lastFailure: code,
    });
  });

  it('has a turn that was refused, and one that its client gave up by itself is none', async () => {
    await start({ env: { VOXGATE_MAX_TURNS_IN_FLIGHT: '1' } });
    const probe = await gateway.session();
    const { session } = await probe.event('ready');
    probe.send({ type: 'append', turn: 'a', text: 'Hello' }, { type: 'append', turn: 'b', text: 'Hello' });
    await probe.ended('b');
    probe.send({ type: 'cancel', turn: 'a' });
    await probe.ended('a');
    expect(await line('turn_failed', { session })).toMatchObject({ turn: 'b', code: 'busy' });
  });

  it.each([
    [
      '401',
      'unauthorized',
      '/v1/session',
      ['Authorization: Bearer wrong'],
      { dialect: 'native', key: callerKeyName('wrong') },
    ],
    ['404', 'not_found', '/v1/nothing', [], {}],
    ['400', 'invalid_request', '/v1/session?pace=fast', ['Authorization: Bearer right'], { tenant: 'ann' }],
    ['401', 'unauthorized', '/v1/legs/telnyx/secret-token', [], { leg: 'telnyx' }],
  ] as const)(
    'has an upgrade that was refused with %s %s by the id of its answer',
    async (told, code, target, headers, more) => {
      await start({ env: { VOXGATE_API_KEYS: 'ann:right' } });
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const answer = await exchange(
        gateway.port,
        upgradeRequest(gateway.port, {
          target,
          headers: [...headers, `traceparent: 00-${trace}-00f067aa0ba902b7-01`],
        }),
      );
      expect(answer.status).toBe(Number(told));
      const request = answer.headers['x-request-id'];
      expect(request).toMatch(/^[\w-]{22}$/);
      const refused = await line('upgrade_refused', { request });
      expect(refused).toMatchObject({ status: Number(told), code, ...more });
      expect(refused.level).toBe(told === '401' ? 'warn' : 'info');
      if (more !== undefined && !('leg' in more)) expect(refused.trace).toBe(trace);
      expect(gateway.logLines.join('\n')).not.toContain('secret-token');
    },
  );

  it('has what a flood of refused upgrades left out, and stays small', async () => {
    await start({ env: { VOXGATE_API_KEYS: 'ann:right' } });
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          exchange(gateway.port, upgradeRequest(gateway.port, { headers: [] })),
        ),
      );
    expect(await gateway.metric('voxgate_failures_total')).toBe(200);
    const refused = linesWith(gateway.logLines, 'upgrade_refused');
    expect(refused.length).toBeLessThan(120);
    await gateway.stop(0);
    const leftOut = [...refused, ...linesWith(gateway.logLines, 'lines_left_out')];
    const missing = leftOut.reduce((sum, { leftOut: count = 0 }) => sum + (count as number), 0);
    expect(linesWith(gateway.logLines, 'upgrade_refused').length + missing).toBe(200);
  });

  it('has a call, by its leg, and its session names the leg', async () => {
    await start({});
    const probe = await gateway.session();
    const { session } = await probe.event('ready');
    const carrier = await dial(`ws://127.0.0.1:${gateway.port}/v1/legs/twilio`, createTwilioSide(), {
      callId: 'CA1',
    });
    probe.send({ type: 'attach', leg: { callSid: 'CA1' } });
    const { leg } = await probe.event('attached');
    expect(await scrape()).toContain('voxgate_legs{kind="twilio"} 1\n');
    carrier.hangUp();
    expect(await line('leg_ended', { leg })).toMatchObject({
      kind: 'twilio',
      tenant: 'local',
      outcome: 'over',
    });
    probe.socket.close();
    expect(await line('session_ended', { session })).toMatchObject({ leg, kind: 'twilio' });
    expect(await scrape()).toContain('voxgate_legs{kind="twilio"} 0\n');
  });
});

describe('the log of requests', () => {
  it('has each by the id of its reply, named by its route', async () => {
    const service = await startService({
      script: refusesTheFirstKey(),
      env: { VOXGATE_UPSTREAM_KEYS: 'a:k1,b:k2' },
    });
    const spokenReply = await service.ask('POST', '/api/v1/tts/stream', {
      json: { model: 'VoxDialog', text: 'Hello.', voice: VOICE },
    });
    const request = spokenReply.headers.get('x-request-id');
    expect(await line('request_ended', { request })).toMatchObject({
      level: 'info',
      method: 'POST',
      route: '/api/v1/tts/stream',
      tenant: 'ann',
      key: callerKeyName('key-of-ann'),
      status: 200,
      outcome: 'complete',
      firstAudioMs: expect.any(Number) as number,
      audioSeconds: 2.328,
    });
    expect(
      linesWith(gateway.logLines, 'upstream_retry', { request, reason: 'upstream_unauthorized' }),
    ).toHaveLength(1);

    const id = (answer: { readonly headers: Headers }) => answer.headers.get('x-request-id');
    const noKey = await service.ask('GET', '/api/v1/voices', { headers: { authorization: 'Bearer wrong' } });
    expect(await line('request_refused', { request: id(noKey) })).toMatchObject({
      level: 'warn',
      status: 401,
      code: 'unauthorized',
      key: callerKeyName('wrong'),
    });
    const nowhere = await fetch(`${service.url}/api/v1/nothing?token=secret`, {
      headers: credentialsOf('ann'),
    });
    const told = await line('request_refused', { request: id(nowhere) });
    expect(told).toMatchObject({ level: 'info', route: 'none', status: 404, code: 'not_found' });
    const wrong = await service.ask('POST', '/api/v1/tts', { json: { text: '' } });
    expect(await line('request_refused', { request: id(wrong) })).toMatchObject({
      tenant: 'ann',
      status: 400,
    });
    expect(await scrape()).toContain('voxgate_http_requests_total{route="/api/v1/tts",status="400"} 1\n');
    await service.ask('GET', '/livez');
    expect(linesWith(gateway.logLines, 'request_ended', { route: '/livez' })).toMatchObject([
      { level: 'debug' },
    ]);
  });

  it('has works at their end, and one that its caller cancels', async () => {
    const answers: Readonly<Record<string, Script>> = { Goo: speaking, Bad: status(400), Sil: silence };
    const service = await startService({
      script: (reply) => answers[(reply.request.body as { text: string }).text.slice(0, 3)]!(reply),
      env: { VOXGATE_UPSTREAM_KEYS: 'a:k1@1000' },
    });
    const job = async (text: string) =>
      (await service.ask('POST', '/api/v1/tts', { json: { text, voice: VOICE } })).json.id;
    const [good, bad] = [await job('Good morning to you all.'), await job('Bad.')];
    expect(await line('work_ended', { work: good })).toMatchObject({
      level: 'info',
      kind: 'tts',
      tenant: 'ann',
      outcome: 'completed',
      attempts: 1,
      audioSeconds: expect.any(Number) as number,
    });
    const failed = await line('work_ended', { work: bad });
    expect(failed).toMatchObject({ level: 'warn', outcome: 'failed', code: 'upstream_rejected' });
    expect(linesWith(gateway.logLines, 'upstream_gave_up', { work: bad })).toHaveLength(1);

    const silent = await job('Silence.');
    await service.until(`/api/v1/tts/${silent}`, ({ status: state }) => state === 'running');
    await service.ask('POST', `/api/v1/tts/${silent}/cancel`);
    expect(await line('work_ended', { work: silent })).toMatchObject({ level: 'info', outcome: 'cancelled' });
    await service.ask('POST', `/api/v1/tts/${silent}/cancel`);
    await service.ask('DELETE', `/api/v1/tts/${silent}`);
    expect(await scrape()).toContain('voxgate_works_total{kind="tts",status="cancelled"} 1\n');
    expect(linesWith(gateway.logLines, 'work_ended', { work: silent })).toHaveLength(1);
  });
});

describe('the figures add up', () => {
  const byLabel = (text: string, name: string, label: string): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const [, labels, value] of text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))) {
      const key = new RegExp(`${label}="([^"]*)"`).exec(labels!)![1]!;
      sums[key] = (sums[key] ?? 0) + Number(value);
    }
    return sums;
  };
  const nonZero = (sums: Record<string, number>) =>
    Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0));
  const seriesOf = (text: string) =>
    new Set(text.split('\n').flatMap((each) => /^(\w+(?:\{.*\})?) \S+$/.exec(each)?.[1] ?? []));
  /** What holds at every moment in which nothing is half done. */
  const checkLaws = (text: string) => {
    const sum = (name: string) => readMetric(text, name);
    expect(sum('voxgate_sessions_opened_total')).toBe(
      sum('voxgate_ws_closes_total') + sum('voxgate_sessions'),
    );
    const closed = linesWith(gateway.logLines, 'session_ended');
    expect(closed).toHaveLength(sum('voxgate_ws_closes_total'));
    for (const [dialect, opened] of Object.entries(
      byLabel(text, 'voxgate_dialect_sessions_opened_total', 'dialect'),
    )) {
      const open = byLabel(text, 'voxgate_dialect_sessions', 'dialect')[dialect]!;
      expect([dialect, opened - open]).toEqual([
        dialect,
        closed.filter((each) => each.dialect === dialect).length,
      ]);
    }
    expect(sum('voxgate_sessions')).toBe(sum('voxgate_dialect_sessions'));
    expect(sum('voxgate_legs_started_total') - sum('voxgate_legs')).toBe(
      linesWith(gateway.logLines, 'leg_ended').length,
    );
    // Each failure is one line; a flood would be counted and left out, and there is none here.
    const failures: Record<string, number> = {};
    for (const [event, row] of Object.entries(LOG_EVENTS))
      if ('failureOf' in row)
        failures[row.failureOf] =
          (failures[row.failureOf] ?? 0) +
          linesWith(gateway.logLines, event).filter(({ code }) => code !== undefined).length;
    expect(byLabel(text, 'voxgate_failures_total', 'of')).toEqual(failures);
    const turns = byLabel(text, 'voxgate_turns_total', 'outcome');
    expect(failures.turn).toBe(turns.failed! + turns.truncated!);
    for (const kind of ['tts', 'playnote'])
      for (const status of ['completed', 'failed', 'cancelled'])
        expect(text).toContain(
          `voxgate_works_total{kind="${kind}",status="${status}"} ${linesWith(gateway.logLines, 'work_ended', { kind, outcome: status }).length}\n`,
        );
    expect(sum('voxgate_works_total')).toBe(linesWith(gateway.logLines, 'work_ended').length);
    const requests = ['request_ended', 'request_refused', 'request_failed'].flatMap((event) =>
      linesWith(gateway.logLines, event),
    );
    // The scrape itself is counted when its reply is over.
    expect(requests.length - sum('voxgate_http_requests_total')).toBeLessThanOrEqual(1);
    const upstream = byLabel(text, 'voxgate_upstream_requests_total', 'outcome');
    const answered = byLabel(text, 'voxgate_upstream_responses_total', 'code');
    const sent = Object.values(upstream).reduce((a, b) => a + b, 0);
    const told = Object.values(answered).reduce((a, b) => a + b, 0);
    // Cut before an answer: it is `aborted`, and no answer.
    expect(sent - told).toBeGreaterThanOrEqual(0);
    expect(sent - told).toBeLessThanOrEqual(upstream.aborted!);
    for (const [, series, value] of text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm))
      if (!/^(nodejs|process)_/.test(series!)) expect(Number(value), series).toBeGreaterThanOrEqual(0);
    expect([...text.matchAll(/="other"\} (\S+)/g)].filter(([, value]) => value !== '0')).toEqual([]);
    for (const [event, row] of Object.entries(LOG_EVENTS))
      if (row.countedBy !== undefined) expect(text, event).toMatch(new RegExp(`^${row.countedBy}\\{`, 'm'));
  };
  /** Counters that tell of nothing that ends or is refused: what flows, what begins, and how well it goes. */
  const FLOWS = new Set([
    'voxgate_sessions_opened_total',
    'voxgate_dialect_sessions_opened_total',
    'voxgate_legs_started_total',
    'voxgate_audio_seconds_total',
    'voxgate_playback_underruns_total',
    'voxgate_underrun_seconds_total',
    'voxgate_intake_seconds_total',
    'voxgate_intake_slowed_total',
    'voxgate_upstream_responses_total',
    'voxgate_hedges_total',
    'voxgate_rivals_total',
    'voxgate_sessions_resumed_total',
    'voxgate_sessions_taken_over_total',
    'voxgate_journal_writes_total',
    'voxgate_journal_bytes_total',
    'voxgate_resumes_total',
    'voxgate_doubtful_bodies_total',
    'voxgate_whole_bodies_total',
    'voxgate_bodies_total',
    'voxgate_phrases_total',
    'voxgate_deadline_missed_total',
    'process_cpu_seconds_total',
  ]);
  /** Of ends and refusals that have their line as something else. */
  const TOLD_AS: Readonly<Record<string, readonly (keyof typeof LOG_EVENTS)[]>> = {
    voxgate_turns_total: ['turn_failed'],
    voxgate_sessions_gone_total: ['session_ended'],
    voxgate_sessions_unjournaled_total: ['session_not_journaled'],
    voxgate_service_changes_total: ['upstream_service'],
    voxgate_busy_refusals_total: ['upgrade_refused', 'turn_failed', 'leg_refused', 'request_refused'],
    voxgate_intake_refusals_total: ['session_ended', 'leg_ended', 'leg_refused'],
    voxgate_leg_evictions_total: ['leg_refused'],
    voxgate_requests_refused_total: ['upstream_gave_up'],
  };

  it('over sessions, turns, jobs, refusals and failures', { timeout: 180_000 }, async () => {
    const answers: Readonly<Record<string, Script>> = {
      Bad: status(400),
      Off: status(500),
      Sil: silence,
    };
    const service = await startService({
      script: (reply) =>
        (answers[(reply.request.body as { text: string }).text.slice(0, 3)] ?? speaking)(reply),
      env: { VOXGATE_UPSTREAM_KEYS: 'a:k1@1000', VOXGATE_MAX_TURNS_IN_FLIGHT: '3' },
    });
    const { port } = gateway;
    const before = await scrape();
    checkLaws(before);
    const counters = [...before.matchAll(/^# TYPE (\S+_total) counter$/gm)].map(([, name]) => name!);
    const counted = new Set<string | undefined>(Object.values(LOG_EVENTS).map(({ countedBy }) => countedBy));
    expect(counters.filter((name) => !FLOWS.has(name) && !(name in TOLD_AS) && !counted.has(name))).toEqual(
      [],
    );

    const ann = { headers: credentialsOf('ann') };
    const authorization = `Authorization: ${credentialsOf('ann').authorization}`;
    // Sessions that end in every way, with turns that end in every way.
    const probe = await service.session('pace=burst', ann);
    const sayings: readonly [string, string, string][] = [
      ['whole', 'Hello there.', 'complete'],
      ['refused', 'Bad.', 'failed'],
      ['broken', 'Off.', 'failed'],
    ];
    for (const [turn, text, outcome] of sayings) {
      probe.send({ type: 'speak', turn, text });
      expect(await probe.ended(turn)).toMatchObject({ outcome });
    }
    for (const turn of ['1', '2', '3', 'too many']) probe.send({ type: 'append', turn, text: 'Hello' });
    await probe.ended('too many');
    probe.send({ type: 'cancel', turn: '1' });
    await probe.ended('1');
    probe.socket.close(1000);
    await probe.closed;
    const lost = await service.session(undefined, ann);
    lost.send({ type: 'speak', turn: 'left', text: 'This is not heard to its end.' });
    await lost.nextAudio();
    lost.terminate();
    const raw = await openRawSession(port, { headers: [authorization] });
    raw.write(frame(OPCODE.text, '{}', { rsv: 4 }));
    await raw.closed;
    const vendor = await exchange(
      port,
      upgradeRequest(port, { target: '/v1/text-to-speech/x/stream-input' }),
    );
    expect(vendor.status).toBe(401);
    await exchange(port, upgradeRequest(port, { target: '/v1/legs/twilio/unknown' }));
    // Works, one of which is cancelled twice at once and then deleted.
    const job = async (text: string) =>
      (await service.ask('POST', '/api/v1/tts', { json: { text, voice: VOICE } })).json.id;
    const [good, bad, silent] = [await job('Good morning.'), await job('Bad.'), await job('Silence.')];
    const cancel = () => service.ask('POST', `/api/v1/tts/${silent}/cancel`);
    await service.until(`/api/v1/tts/${silent}`, ({ status: state }) => state === 'running');
    await Promise.all([cancel(), cancel(), cancel()]);
    await service.ask('DELETE', `/api/v1/tts/${silent}`);
    await line('work_ended', { work: good });
    await line('work_ended', { work: bad });
    // Plain requests: answered, refused, failed.
    const speak = (text: string) =>
      service.ask('POST', '/api/v1/tts/stream', { json: { model: 'VoxDialog', text, voice: VOICE } });
    for (const text of ['Hello.', 'Bad.', '']) await speak(text);
    await service.ask('GET', '/api/v1/nothing');

    await expect.poll(() => linesWith(gateway.logLines, 'session_ended').length, SOON).toBe(3);
    await expect.poll(async () => readMetric(await scrape(), 'voxgate_sessions'), SOON).toBe(0);
    const after = await scrape();
    checkLaws(after);
    expect(nonZero(byLabel(after, 'voxgate_turns_total', 'outcome'))).toEqual({
      complete: 1,
      failed: 3,
      cancelled: 1,
      left: 3,
    });
    expect(readMetric(after, 'voxgate_turns')).toBe(0);
    expect(nonZero(byLabel(after, 'voxgate_ws_closes_total', 'code'))).toEqual({ 1000: 1, 1002: 1, 1006: 1 });
    expect(nonZero(byLabel(after, 'voxgate_works_total', 'status'))).toEqual({
      completed: 1,
      failed: 1,
      cancelled: 1,
    });
    // No series came with what happened.
    expect([...seriesOf(after)].filter((series) => !seriesOf(before).has(series))).toEqual([]);
    expect([...seriesOf(before)].filter((series) => !seriesOf(after).has(series))).toEqual([]);
  });
});
