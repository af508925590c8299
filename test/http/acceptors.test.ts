// Real sockets, and a loop that is full of work: how many of those who call at once are taken in one turn of it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { type Acceptors, type AcceptorsOptions, openAcceptors } from '../../src/http/acceptors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createSelfSigned } from '../support/self-signed.ts';

const CALLERS = 8;
const PLENTY = { timeout: 10_000, interval: 5 } as const;

type Made = { readonly server: Server; readonly port: number; readonly acceptors: Acceptors | undefined };
const made: Made[] = [];

async function open(
  acceptors: Partial<AcceptorsOptions> | 'none' = {},
  tls?: { readonly cert: string; readonly key: string },
): Promise<Made> {
  const answer = (_request: unknown, response: { end(text: string): void }) => response.end('hello');
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const one = {
    server,
    port: (server.address() as { port: number }).port,
    acceptors:
      acceptors === 'none'
        ? undefined
        : openAcceptors(server, { clock: systemClock, log: silentLog, ...acceptors }),
  };
  made.push(one);
  return one;
}

/** As a gateway stops. */
async function close({ server, acceptors }: Made): Promise<void> {
  await acceptors?.close();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  await acceptors?.ended();
}

afterEach(async () => {
  for (const one of made.splice(0)) await close(one);
});

const ask = (port: number, scheme: 'http' | 'https' = 'http'): Promise<string> =>
  new Promise((resolve, reject) => {
    const target = { port, host: '127.0.0.1', agent: false, rejectUnauthorized: false } as const;
    const asking = (scheme === 'http' ? request : tlsRequest)(target, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    asking.on('error', reject);
    asking.end();
  });

const call = (port: number, onClose = () => {}): Socket => {
  const caller = connect(port, '127.0.0.1');
  caller.on('error', () => {});
  caller.on('close', onClose);
  return caller;
};

/** In how many turns of the loop, each full of work, so many who call at once are taken. */
async function turnsToTakeAll({ server, port }: Made): Promise<number> {
  let turn = 0;
  const takenIn: number[] = [];
  server.on('connection', (socket) => {
    takenIn.push(turn);
    socket.on('error', () => {});
  });
  const callers = Array.from({ length: CALLERS }, () => call(port));
  const endMs = systemClock.now() + PLENTY.timeout;
  await new Promise<void>((resolve) => {
    const work = () => {
      turn += 1;
      const untilMs = systemClock.now() + 5;
      while (systemClock.now() < untilMs);
      if (takenIn.length === CALLERS || untilMs > endMs) resolve();
      else setImmediate(work);
    };
    work();
  });
  for (const caller of callers) caller.destroy();
  expect(takenIn).toHaveLength(CALLERS);
  return new Set(takenIn).size;
}

/** Warnings by their names. */
function listen(): { readonly log: Log; readonly warnings: string[] } {
  const warnings: string[] = [];
  return { log: { ...silentLog, warn: (event) => warnings.push(event) }, warnings };
}

describe('acceptors', () => {
  it('take in a turn of the loop as many as there are, where the server alone takes one', async () => {
    expect(await turnsToTakeAll(await open('none'))).toBe(CALLERS);
    const several = await open();
    expect(await several.acceptors!.opened).toBe(7);
    expect(await turnsToTakeAll(several)).toBeLessThanOrEqual(2);
  });

  it('lose nobody who calls while they open, and answer all alike', async () => {
    const { port, acceptors } = await open();
    let opened: number | undefined;
    void acceptors!.opened.then((count) => {
      opened = count;
    });
    const answers: string[] = [];
    do answers.push(...(await Promise.all([ask(port), ask(port), ask(port)])));
    while (opened === undefined);
    answers.push(...(await Promise.all(Array.from({ length: 40 }, () => ask(port)))));
    expect([opened, new Set(answers)]).toEqual([7, new Set(['hello'])]);
  });

  it('serve TLS as well', async () => {
    const signed = createSelfSigned();
    const { port, acceptors } = await open({}, signed);
    signed.remove();
    await acceptors!.opened;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(port, 'https')));
    expect(new Set(answers)).toEqual(new Set(['hello']));
  });

  it('hold the bound on sockets together with the server, and count those who have gone no more', async () => {
    const { server, port, acceptors } = await open();
    await acceptors!.opened;
    server.maxConnections = 5;
    let closed = 0;
    const callers = Array.from({ length: 12 }, () =>
      call(port, () => {
        closed += 1;
      }),
    );
    await vi.waitFor(() => expect(closed).toBe(7), PLENTY);
    for (const caller of callers) caller.destroy();
    await vi.waitFor(async () => expect(await ask(port)).toBe('hello'), PLENTY);
    expect(closed).toBe(12);
  });

  it('are done without where they cannot be had, which is said once', async () => {
    const clock = createFakeClock();
    for (const program of ['/no/such/program', '/etc/passwd/none', '/bin/false', '/bin/cat']) {
      const { log, warnings } = listen();
      const { port, acceptors } = await open({ program, log });
      expect([program, await acceptors!.opened]).toEqual([program, 0]);
      expect([await ask(port), warnings]).toEqual(['hello', ['fewer_acceptors']]);
    }
    const folder = mkdtempSync(join(tmpdir(), 'voxgate-acceptors-'));
    const silent = join(folder, 'silent.sh');
    writeFileSync(silent, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const { log, warnings } = listen();
    const { acceptors } = await open({ program: silent, clock, log });
    clock.advance(5000);
    expect([await acceptors!.opened, warnings, clock.timers]).toEqual([0, ['fewer_acceptors'], 0]);
    rmSync(folder, { recursive: true });
  });

  it('take nobody when closed, however many have opened by then, and say nothing of it', async () => {
    for (const ms of [0, 10, 20, 30, 40, 50, 60, 200]) {
      const { log, warnings } = listen();
      const one = await open({ log });
      await new Promise((resolve) => setTimeout(resolve, ms));
      await close(one);
      await expect(ask(one.port)).rejects.toThrow('ECONNREFUSED');
      expect(warnings).toEqual([]);
    }
  });

  it('have ended when the connections of all of them have', async () => {
    const one = await open();
    await one.acceptors!.opened;
    const callers = Array.from({ length: 20 }, () => call(one.port));
    let taken = 0;
    one.server.on('connection', () => {
      taken += 1;
    });
    await vi.waitFor(() => expect(taken).toBe(20), PLENTY);
    await one.acceptors!.close();
    let hasEnded = false;
    const ended = one.acceptors!.ended().then(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    for (const caller of callers) caller.destroy();
    await ended;
  });
});
