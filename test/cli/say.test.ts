// `voxgate say` against a running gateway: an agent, text that comes faster than it is spoken, and a turn without audio.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { narrate } from '../../src/cli/narrate.ts';
import { say } from '../../src/cli/say.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type Script, status } from '../support/scripted-upstream.ts';

const TEXT = 'The tide turns twice a day.';
let gateway: RunningGateway;
let script: Script = speaking;
const folder = scratchFolder('say');
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  gateway = await startRunningGateway({
    script: (reply) => script(reply),
    env: { VOXGATE_PENDING_TEXT_CHARS: '1000', VOXGATE_UPSTREAM_KEYS: 'user:key@10000' },
  });
});
afterEach(() => {
  script = speaking;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.close();
});

async function run(args: readonly string[], input = '', url: readonly string[] = ['--url', gateway.url]) {
  const command = args[0] === 'narrate' ? narrate : say;
  const terminal = createFakeTerminal([...args.slice(1), ...url], input);
  const code = await command.run(terminal);
  const lines = terminal.printed.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, lines, complaints: terminal.complaints };
}

describe('--agent', () => {
  const createAgent = async (profile: object) => {
    const reply = await fetch(`${gateway.url}/api/v1/agents`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'x-user-id': 'local', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Front desk', voice: 'vox:anna', ...profile }),
    });
    return ((await reply.json()) as { id: string }).id;
  };

  it('speaks the text alone, as the profile says, and other flags go before it', async () => {
    const id = await createAgent({ speed: 1.25, language: 'german', greeting: 'Welcome to the desk.' });
    const { code, lines } = await run(['say', TEXT, '--agent', id, '--speed', '2', '--out', at('agent.wav')]);
    expect(code).toBe(0);
    const asked = gateway.upstream.requests.map(({ body }) => body as Record<string, unknown>);
    expect(asked.find(({ text }) => text === TEXT)).toMatchObject({
      voice: 'vox:anna',
      language: 'german',
      speed: 2,
    });
    expect(new Set(lines.flatMap(({ turn }) => (turn === undefined ? [] : [turn])))).toEqual(
      new Set(['say']),
    );
    // One header, and no more audio than the turn had.
    const wav = readFileSync(at('agent.wav'));
    expect(wav.lastIndexOf('RIFF')).toBe(0);
    expect(lines.at(-1)).toMatchObject({ outcome: 'complete', bytes: wav.length });
  });

  it('of nobody is told in the words of the command line', async () => {
    await expect(run(['say', TEXT, '--agent', 'nobody'])).rejects.toThrow(/: --agent: there is no agent/);
  });

  it('without a running gateway is wrong usage: a gateway of its own has no agents', async () => {
    await expect(run(['say', TEXT, '--agent', 'x'], '', [])).rejects.toThrow(
      '--agent is "x"; agents are kept by a running gateway: name it with --url (VOXGATE_URL)',
    );
  });
});

describe('text that comes faster than it is spoken', () => {
  const LONG = `${TEXT} `.repeat(42);

  it('waits, of which nothing is told', async () => {
    const { code, lines, complaints } = await run(['say', '-', '--out', at('long.wav')], LONG);
    expect([code, complaints]).toEqual([0, []]);
    expect(lines.filter(({ type }) => type === 'error')).toEqual([]);
    expect(lines.find(({ type }) => type === 'ended')).toMatchObject({ outcome: 'complete' });
  });
});

describe('a turn without audio', () => {
  it.each([
    ['say', ['say', TEXT]],
    ['narrate', ['narrate', '-']],
  ])('%s names no file that it did not make', async (_name, args) => {
    script = status(400, {}, JSON.stringify({ errorMessage: 'no', errorId: 'INVALID_REQUEST' }));
    const { code, lines } = await run([...args, '--out', at('none.wav')], TEXT);
    expect([code, lines.at(-1)]).toEqual([1, { file: null, outcome: 'failed', seconds: 0, bytes: 0 }]);
    expect(existsSync(at('none.wav'))).toBe(false);
  });
});
