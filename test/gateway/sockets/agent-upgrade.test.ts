// An upgrade that waits for its agent: what becomes of it when the world changes meanwhile.
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SocketServer } from '../../../src/gateway/sockets/socket-server.ts';
import type { SessionAgent } from '../../../src/session/session-agent.ts';
import type { AgentUse } from '../../../src/speech/agent-profile.ts';
import { startSocketServer } from '../../support/lone-socket-server.ts';
import { exchange, upgradeRequest } from '../../support/raw-session.ts';
import { openProbe } from '../../support/session-probe.ts';

type Lookup = { readonly id: string; answer(agent?: SessionAgent): void; fail(error: Error): void };

let lookups: Lookup[];
let uses: AgentUse[];
let sockets: SocketServer;
let port: number;
let stop: () => void;
const agent: SessionAgent = { profile: { name: 'Host' }, used: (use) => void uses.push(use) };

beforeEach(async () => {
  lookups = [];
  uses = [];
  ({
    sockets,
    port,
    close: stop,
  } = await startSocketServer({
    findAgent: (_user, id) =>
      new Promise((resolve, reject) => {
        lookups.push({ id, answer: resolve, fail: reject });
      }),
  }));
});
afterEach(() => stop());

const target = '/v1/session?agent=a1';
const lookedFor = () => expect.poll(() => lookups.length).toBe(1);

it('opens the session once the agent is found, and counts it', async () => {
  const opening = openProbe(`ws://127.0.0.1:${port}${target}`);
  await lookedFor();
  expect(lookups[0]!.id).toBe('a1');
  expect(sockets.connections.size).toBe(0);
  lookups[0]!.answer(agent);
  const probe = await opening;
  expect(uses).toEqual([{ sessions: 1 }]);
  probe.terminate();
});

it.each(['reset', 'end'] as const)('a peer that leaves meanwhile (%s) has no session', async (how) => {
  const peer = connect(port, '127.0.0.1');
  peer.on('error', () => {});
  peer.write(upgradeRequest(port, { target }));
  await lookedFor();
  const gone = new Promise((resolve) => peer.once('close', resolve));
  if (how === 'reset') peer.resetAndDestroy();
  else peer.destroy();
  await gone;
  // Another exchange on the same loop: by then the server has seen the other end.
  await exchange(port, upgradeRequest(port, { target: '/nowhere' }));
  lookups[0]!.answer(agent);
  await exchange(port, upgradeRequest(port, { target: '/nowhere' }));
  expect(sockets.connections.size).toBe(0);
  expect(uses).toEqual([]);
});

it('is refused when the gateway begins to stop meanwhile', async () => {
  const answer = exchange(port, upgradeRequest(port, { target }));
  await lookedFor();
  await sockets.drain({ deadlineMs: 1000, spreadMs: 0 });
  lookups[0]!.answer(agent);
  expect((await answer).status).toBe(503);
});

it('is refused as internal when the lookup fails, and nothing of the failure is told', async () => {
  const answer = exchange(port, upgradeRequest(port, { target }));
  await lookedFor();
  lookups[0]!.fail(new Error('disk full at /secret/path'));
  const { status, body } = await answer;
  expect(status).toBe(500);
  expect(body).not.toContain('secret');
});
