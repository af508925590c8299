// `voxgate simulate` before a running gateway: what it says of one that is right and of what is not, and what it leaves.

import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
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

describe.concurrent('a call that the gateway does not take is a fault, with the reason in the log', () => {
  const origin = 'https://voice.example.com';
  const env = {
    VOXGATE_API_KEYS: 'ann:key-of-ann',
    VOXGATE_TWILIO_AUTH_TOKEN: 'twelve345',
    VOXGATE_PUBLIC_URL: origin,
  };
  const refusals = ({ logLines }: RunningGateway) =>
    logLines
      .map((line) => JSON.parse(line) as { readonly event: string; readonly because?: string })
      .filter(({ event }) => event === 'leg_refused' || event === 'upgrade_refused');
  const notTaken = async (strict: RunningGateway, args: readonly string[], env = {}) => {
    const terminal = createFakeTerminal([...args, '--url', strict.sessionUrl]);
    expect(await simulate.run({ ...terminal, env })).toBe(1);
    return reportOf(terminal).faults;
  };

  it('Twilio, with another token in its <Parameter>', async () => {
    const strict = await startRunningGateway({ env });
    const twiml = `<Response><Connect><Stream url="${origin.replace('https', 'wss')}/v1/legs/twilio">
      <Parameter name="token" value="made.up.token"/></Stream></Connect></Response>`;
    const webhook = createServer((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/xml' }).end(twiml),
    );
    await new Promise<void>((resolve) => void webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    const args = ['twilio', '--webhook', `http://127.0.0.1:${port}/voice`];
    expect(await notTaken(strict, args, { VOXGATE_TWILIO_AUTH_TOKEN: 'twelve345' })).toEqual([
      expect.stringMatching(/^the gateway ended the call \(4401\) before anything was heard/),
    ]);
    expect(refusals(strict)).toMatchObject([
      { because: 'the leg brought a token that is known to no session' },
    ]);
    expect(strict.logLines.join('\n')).not.toContain('made.up.token');
    webhook.close();
    await strict.close();
  });

  it('Asterisk without a token', async () => {
    const strict = await startRunningGateway({ env });
    expect(await notTaken(strict, ['chan-websocket', '--call', 'pbx-1'])).toEqual([
      expect.stringMatching(/^the gateway ended the call \(4401\)/),
    ]);
    expect(refusals(strict)).toMatchObject([{ because: 'the leg brought no token' }]);
    await strict.close();
  });

  it('AudioSocket with a UUID that nobody names', async () => {
    const audioSocketPort = await freePort();
    const strict = await startRunningGateway({
      env: { ...env, VOXGATE_AUDIOSOCKET_PORT: String(audioSocketPort) },
    });
    const uuid = '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11';
    const args = ['audiosocket', '--token', uuid, '--leg-url', `tcp://127.0.0.1:${audioSocketPort}`];
    expect(await notTaken(strict, args)).toEqual([
      expect.stringMatching(/^the gateway ended the call before anybody spoke to it/),
    ]);
    expect(refusals(strict)).toMatchObject([{ because: 'no session has asked for the leg in time' }]);
    expect(strict.logLines.join('\n')).not.toContain(uuid);
    await strict.close();
  });

  it('AudioSocket without a UUID is wrong usage', async () => {
    const args = [
      'audiosocket',
      '--token',
      'abc',
      '--url',
      'ws://127.0.0.1:9',
      '--leg-url',
      'tcp://127.0.0.1:9',
    ];
    await expect(simulate.run(createFakeTerminal(args))).rejects.toThrow(
      /--token is no UUID.*allowed: such as/s,
    );
  });

  it('Twilio without a signature, or with that of another token', async () => {
    const strict = await startRunningGateway({ env });
    const call = (env = {}) =>
      simulate.run({ ...at(strict.sessionUrl, '--key', 'key-of-ann', '--say', 'Hello.'), env });
    await expect(call()).rejects.toThrow(/401.*There is no signature of Twilio/);
    const forged = { VOXGATE_TWILIO_AUTH_TOKEN: 'another', VOXGATE_PUBLIC_URL: origin };
    await expect(call(forged)).rejects.toThrow(/401.*does not fit.*VOXGATE_TWILIO_AUTH_TOKEN/);
    expect(refusals(strict).map(({ because }) => because)).toEqual([
      expect.stringMatching(/^There is no signature of Twilio/),
      expect.stringMatching(/^The signature of Twilio does not fit/),
    ]);
    await strict.close();
  });
});

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
    const code = await simulate.run(terminal);
    const report = reportOf(terminal);
    expect(report).toMatchObject({ leg: 'audiosocket', faults: [], turns: [{ outcome: 'complete' }] });
    expect(code).toBe(0);
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
      /VOXGATE_ASTERISK_URL=ws:\/\/127\.0\.0\.1:\d+ [\s\S]*curl .*-H 'Content-Type: application\/json' -d .*"connectionId":"[-0-9a-f]{36}".*\/v1\/legs\/chan-websocket$/,
    );
  });

  it('fails with 1 when the call ends and nobody has spoken to it', async () => {
    const terminal = at(gateway.sessionUrl, '--call', 'CA-alone', '--seconds', '1');
    expect(await simulate.run(terminal)).toBe(1);
    expect(reportOf(terminal)).toMatchObject({
      heardMs: 0,
      faults: [expect.stringMatching(/^nothing was heard before the call ended: no session attached/)],
    });
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

  it('says that a token is missing, in its flag and in the path', async () => {
    await expect(simulate.run(at(gateway.sessionUrl, '--token', ''))).rejects.toThrow(
      /--token is ""; allowed: a value/,
    );
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/legs/chan-websocket/`);
    const [, reply] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect([reply.statusCode, await text(reply)]).toEqual([
      404,
      expect.stringContaining('its token is missing'),
    ]);
  });
});
