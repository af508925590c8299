// docs/client.md: its programs as they stand but for the port, and its tables against the client.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVoxgateClient, SessionError } from '../../src/client/voxgate-client.ts';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { blocksBy, readPage } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';

const [speaks, reconnects] = blocksBy('docs/client.md', 'test/docs/client.test.ts').map(({ text }) => text);
let folder: ReaderFolder;
let port: number;
const start = (): Promise<RunningGateway> =>
  startRunningGateway({ script: speaking, env: { VOXGATE_PORT: String(port) } });

beforeAll(async () => {
  buildProgram();
  folder = createReaderFolder('client-page');
  port = await freePort();
});
afterAll(() => folder.remove());

/** What the program prints, as it comes. */
function run(name: string, code: string) {
  folder.write(name, code.replaceAll('8080', String(port)));
  const child = spawn(process.execPath, [name], { cwd: folder.path, env: folder.env });
  let printed = '';
  let look = () => {};
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      printed += part.toString();
      look();
    });
  return {
    until: (words: RegExp) =>
      new Promise<void>((resolve) => {
        look = () => words.test(printed) && resolve();
        look();
      }),
    ended: new Promise<string>((resolve) => child.once('close', (code) => resolve(`${printed}${code}`))),
  };
}

describe('docs/client.md', () => {
  it('its first program speaks into a file', async () => {
    const gateway = await start();
    expect(await run('speaks.mjs', speaks!).ended).toMatch(
      /^ready\n\d+\nstarted\n[\s\S]*ended\ncomplete\n0$/,
    );
    const wav = readFileSync(join(folder.path, 'hello.wav'));
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.length).toBeGreaterThan(20_000);
    await gateway.close();
  });

  it('its second one outlives a gateway', async () => {
    const program = run('reconnects.mjs', reconnects!);
    await program.until(/unreachable: .*ECONNREFUSED/);
    const first = await start();
    await program.until(/connected/);
    await first.close();
    await program.until(/closed with 1012: .*shutting_down.*\ntrue/);
    const second = await start();
    await program.until(/connected[\s\S]*connected/);
    await second.close();
    expect(await program.ended).toMatch(/connected\nclosed with 1012: .*\ntrue\n0$/);
  });

  it('tells every member of a session and of its errors', async () => {
    const gateway = await start();
    const session = await createVoxgateClient({ baseUrl: gateway.url, apiKey: 'a', userId: 'a' }).session();
    session.close();
    const page = readPage('docs/client.md');
    const fields = Object.keys(new SessionError('x', { code: 'x', isRetryable: true }));
    for (const name of [...Object.keys(session), ...fields, 'message'].filter((each) => each !== 'name'))
      expect(page).toMatch(new RegExp(`^\\|.*\`${name}[(\`]`, 'm'));
    await gateway.close();
  });
});
