// `voxgate simulate` before a running gateway: what it says of one that is right and of what is not, and what it leaves.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { simulate } from '../../testkit/cli/simulate.ts';
import type { SimulationReport } from '../../testkit/cli/simulate-report.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { type RunningGateway, SPEECH_MS, startRunningGateway } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { status } from '../support/scripted-upstream.ts';

const folder = scratchFolder('simulate');
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.close();
});

const at = (url: string, ...args: string[]) => createFakeTerminal(['twilio', '--url', url, ...args]);
const reportOf = (terminal: { readonly printed: readonly string[] }) =>
  JSON.parse(terminal.printed.at(-1)!) as SimulationReport;

describe.concurrent('voxgate simulate', () => {
  it('speaks to a call through a gateway, and prints one line of JSON with what came', async () => {
    const out = join(folder, 'heard.wav');
    const terminal = at(gateway.sessionUrl, '--say', 'Hello there.', '--repeat', '2', '--out', out);
    expect(await simulate.run(terminal)).toBe(0);
    const wav = readFileSync(out);
    expect(terminal.printed).toHaveLength(1);
    const report = reportOf(terminal);
    expect(report).toMatchObject({ leg: 'twilio', clears: 0, staleBytes: 0, faults: [] });
    expect(report.turns.map(({ outcome }) => outcome)).toEqual(['complete', 'complete']);
    for (const { playedMs, heardMs } of report.turns) {
      expect(heardMs).toBeGreaterThan(SPEECH_MS - 60);
      expect(Math.abs(playedMs - heardMs)).toBeLessThanOrEqual(100);
    }
    expect(report.marks.sent).toBeGreaterThan(2 * 8);
    expect(report.marks).toMatchObject({ echoed: report.marks.sent, lost: 0 });
    // In real time beside other tests; simulated time is held to the lead.
    expect(report.leadMs!.most).toBeLessThanOrEqual(600);
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24)]).toEqual(['RIFF', 8000]);
    // The two turns, and the silence between them.
    expect((wav.length - 44) / 16).toBeGreaterThanOrEqual(report.heardMs + 200);
  });

  it('cuts turns where it is told to, and nothing of them comes after the clear', async () => {
    const terminal = at(gateway.sessionUrl, '--say', 'Hello there.', '--barge-in-ms', '500', '--repeat', '2');
    expect(await simulate.run(terminal)).toBe(0);
    const report = reportOf(terminal);
    expect(report).toMatchObject({ clears: 2, staleBytes: 0, faults: [] });
    for (const { outcome, heardMs } of report.turns) {
      expect(outcome).toBe('cancelled');
      expect(heardMs).toBeLessThan(1500);
    }
  });

  it('shows people a table', async () => {
    const terminal = { ...at(gateway.sessionUrl, '--say', 'Hello.'), isInteractive: true };
    expect(await simulate.run(terminal)).toBe(0);
    expect(terminal.printed.join('\n')).toMatch(
      /^heard {5}2\.3 s\nlead .* most\njitter [\s\S]*turn-1: complete.*\nno faults$/,
    );
  });

  it.each(Object.keys(CARRIERS))(
    'cuts and speaks to %s in a gateway of its own, without a fault',
    async (kind) => {
      const env = {
        VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
        VOXGATE_UPSTREAM_KEYS: 'user:key',
        VOXGATE_WORD_TIMES: 'never',
      };
      for (const [more, outcome] of [
        [['--barge-in-ms', '700'], 'cancelled'],
        [[], 'complete'],
      ] as const) {
        const terminal = { ...createFakeTerminal([kind, '--say', 'Hello there.', ...more]), env };
        const code = await simulate.run(terminal);
        const report = reportOf(terminal);
        expect(report).toMatchObject({ leg: kind, staleBytes: 0, faults: [], turns: [{ outcome }] });
        expect(code).toBe(0);
        const [{ playedMs, heardMs }] = report.turns as [SimulationReport['turns'][number]];
        // Some fill a short last message up. Where a turn is cut real time has a say; simulated time is held to the ms.
        if (outcome === 'complete') expect(Math.abs(playedMs - heardMs)).toBeLessThanOrEqual(300);
      }
    },
  );

  it('speaks to an Asterisk in wideband whose first frame is late', async () => {
    const env = {
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key',
      VOXGATE_WORD_TIMES: 'never',
    };
    const args = ['audiosocket', '--codec', 'slin16', '--first-frame-ms', '560', '--say', 'Hello there.'];
    const terminal = { ...createFakeTerminal(args), env };
    expect(await simulate.run(terminal)).toBe(0);
    const report = reportOf(terminal);
    expect(report).toMatchObject({ leg: 'audiosocket', faults: [], turns: [{ outcome: 'complete' }] });
    expect(report.turns[0]!.heardMs).toBeGreaterThan(SPEECH_MS - 60);
  });

  it('shows how a codec that is not served is refused', async () => {
    const args = ['telnyx', '--codec', 'G722', '--say', 'Hello.', '--url', gateway.sessionUrl];
    await expect(simulate.run(createFakeTerminal(args))).rejects.toThrow(
      /^leg_codec: G722 at 8000 Hz came; served: PCMU, PCMA, L16 of/,
    );
  });

  it('signs as Twilio does, before a gateway that checks', async () => {
    const origin = 'https://voice.example.com';
    const strict = await startRunningGateway({
      env: {
        VOXGATE_API_KEYS: 'ann:key-of-ann',
        VOXGATE_TWILIO_AUTH_TOKEN: 'twelve345',
        VOXGATE_PUBLIC_URL: origin,
      },
    });
    const call = (token: string, ...more: string[]) => {
      const file = join(folder, token);
      writeFileSync(file, `${token}\n`);
      const args = ['--url', strict.sessionUrl, '--key', 'key-of-ann', '--say', 'Hello.'];
      return createFakeTerminal(['twilio', ...args, '--auth-token-file', file, ...more]);
    };
    expect(await simulate.run(call('twelve345', '--public-url', origin))).toBe(0);
    await expect(simulate.run(call('another', '--public-url', origin))).rejects.toThrow(
      /refused the leg: 401/,
    );
    await expect(simulate.run(call('twelve345'))).rejects.toThrow(/refused the leg: 401/);
    const env = { VOXGATE_TWILIO_AUTH_TOKEN: 'twelve345', VOXGATE_PUBLIC_URL: origin };
    const args = ['twilio', '--url', strict.sessionUrl, '--key', 'key-of-ann', '--say', 'Hello.'];
    const plain = createFakeTerminal(args);
    expect(await simulate.run({ ...plain, env })).toBe(0);
    await strict.close();
  });

  it('waits in Asterisk for a gateway of its own to dial, is spoken to and cut, without a fault', async () => {
    const env = {
      VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
      VOXGATE_UPSTREAM_KEYS: 'user:key',
      VOXGATE_WORD_TIMES: 'never',
    };
    const args = ['chan-websocket', '--listen', '0', '--say', 'Hello there.', '--barge-in-ms', '700'];
    const terminal = { ...createFakeTerminal(args), env };
    expect(await simulate.run(terminal)).toBe(0);
    expect(reportOf(terminal)).toMatchObject({
      leg: 'chan-websocket',
      clears: 1,
      staleBytes: 0,
      faults: [],
      turns: [{ outcome: 'cancelled' }],
    });
  });

  it('tells a person how a channel that waits is dialled, and that nobody did', async () => {
    const terminal = createFakeTerminal([
      'chan-websocket',
      '--listen',
      '0',
      '--url',
      gateway.sessionUrl,
      '--seconds',
      '1',
    ]);
    await expect(simulate.run(terminal)).rejects.toThrow(/Nobody has dialled the channel within 1 s/);
    expect(terminal.complaints.join('\n')).toMatch(
      /VOXGATE_ASTERISK_URL=ws:\/\/127\.0\.0\.1:\d+ [\s\S]*curl .*"connectionId":"[-0-9a-f]{36}".*\/v1\/legs\/chan-websocket$/,
    );
  });

  it('only watches a call that nobody was told to speak to', async () => {
    const terminal = at(gateway.sessionUrl, '--call', 'CA-watched', '--seconds', '4');
    const running = simulate.run(terminal);
    const session = await gateway.session();
    session.send({ type: 'attach', leg: { callSid: 'CA-watched' } });
    await session.event('attached');
    session.send({ type: 'speak', turn: 'a', text: 'Hello.' });
    expect(await running).toBe(0);
    expect(reportOf(terminal)).toMatchObject({ turns: [], staleBytes: null });
    // How much of it fits before the time is up is for the machine to say.
    expect(reportOf(terminal).heardMs).toBeGreaterThan(SPEECH_MS - 300);
  });

  it('fails with 1 when a turn fails, saying which', async () => {
    const broken = await startRunningGateway({ script: status(400) });
    const terminal = at(broken.sessionUrl, '--say', 'Hello.');
    expect(await simulate.run(terminal)).toBe(1);
    expect(reportOf(terminal).faults).toEqual(['turn-1 ended failed']);
    await broken.close();
  });

  it('fails with 1 when the time is up before the turns are over', async () => {
    const terminal = at(gateway.sessionUrl, '--say', 'Hello.', '--seconds', '1');
    expect(await simulate.run(terminal)).toBe(1);
    expect(reportOf(terminal).faults).toEqual(['the call ended before all turns were over']);
  });

  it('says so when there is no gateway, or it does not want the leg', async () => {
    const nobody = simulate.run(at('ws://127.0.0.1:9', '--say', 'x'));
    await expect(nobody).rejects.toThrow(/ECONNREFUSED/);
    const stranger = simulate.run(at(gateway.sessionUrl, '--token', 'made-up.token.x'));
    await expect(stranger).rejects.toThrow(/refused the leg: 401/);
  });
});
