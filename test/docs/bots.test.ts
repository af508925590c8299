// The bots of docs/bot.md and docs/legs/twilio.md as they stand but for ports: somebody asks, interrupts, and asks again; a
// strict carrier asks the webhook, signed, and its caller talks into the greeting.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { simulate } from '../../testkit/cli/simulate.ts';
import type { SimulationReport } from '../../testkit/cli/simulate-report.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { blocksBy } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { commandsOf } from '../support/shell-words.ts';

const isMissing = (program: string) => (process.env.WITHOUT_PROGRAMS ?? '').split(',').includes(program);
const blocksOf = (page: string, language: string) =>
  blocksBy(page, 'test/docs/bots.test.ts')
    .filter((block) => block.language === language)
    .map(({ text }) => text);

const folders: ReaderFolder[] = [];
const folderOf = (name: string): ReaderFolder => {
  const folder = createReaderFolder(name);
  folders.push(folder);
  // Plays nothing, and keeps what it was given.
  folder.standIn('ffplay', 'exec cat > "$(mktemp heard-XXXXXX)"');
  return folder;
};
const children: ChildProcessWithoutNullStreams[] = [];
beforeAll(buildProgram);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) folder.remove();
});

type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly printed: () => string;
  /** Until it has printed this. */
  until(words: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
};

function run(folder: ReaderFolder, command: string, args: readonly string[], env = {}): Running {
  const child = spawn(command, args, { cwd: folder.path, env: { ...folder.env, ...env } });
  children.push(child);
  let printed = '';
  let isOver = false;
  let look = () => {};
  const take = (part: Buffer) => {
    printed += part.toString();
    look();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return {
    child,
    printed: () => printed,
    until: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (words.test(printed)) resolve();
          else if (isOver) reject(new Error(`It ended: ${printed}`));
        };
        look();
      }),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        isOver = true;
        look();
        resolve(code);
      });
    }),
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Bytes that loudspeakers were given, by turn. */
const heardIn = ({ path }: ReaderFolder) =>
  readdirSync(path)
    .filter((name) => name.startsWith('heard-'))
    .map((name) => statSync(join(path, name)).size);

describe.concurrent('docs/bot.md', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({ script: speaking });
  });
  afterAll(() => gateway.close());

  /** Somebody asks, interrupts, and asks something else. */
  async function talk(name: string, program: string, code: string) {
    const folder = folderOf(`bot-${name}`);
    folder.write(name, code.replaceAll('8080', String(gateway.port)));
    const bot = run(folder, program, [name]);
    bot.child.stdin.write('What is new?\n');
    while (!heardIn(folder).some((size) => size > 40_000) && bot.child.exitCode === null) await pause(20);
    bot.child.stdin.end('Something else, please\n');
    expect(await bot.ended, bot.printed()).toBe(0);
    const lines = bot.printed().trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^bot: You said.* … \(interrupted\)$/);
    expect(lines[0]).not.toContain('speaking');
    expect(lines[1]).toMatch(/^bot: You said ["']Something else, please["']\. .*\.$/);
    expect(heardIn(folder)).toHaveLength(2);
  }

  it('the bot in JavaScript is interrupted, and answers what came then', async () => {
    await talk('bot.mjs', process.execPath, blocksOf('docs/bot.md', 'js')[0]!);
  });

  it.skipIf(isMissing('python3-websockets'))('so is and does the bot in Python', async () => {
    await talk('bot.py', '/usr/bin/python3', blocksOf('docs/bot.md', 'python')[0]!);
  });
});

describe('docs/legs/twilio.md', () => {
  const [ofGateway, ofBot, ofCall] = blocksOf('docs/legs/twilio.md', 'sh');
  const envOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      commandsOf(text)[0]!.flatMap((word) => {
        const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(word) ?? [];
        return name === undefined ? [] : [[name, value!]];
      }),
    );

  it('the bot answers a signed call, is interrupted by the caller and says goodbye', async () => {
    const gateway = await startRunningGateway({ script: speaking, env: envOf(ofGateway!) });
    const webhookPort = await freePort();
    const ported = (text: string) =>
      text.replaceAll('8080', String(gateway.port)).replaceAll('3000', String(webhookPort));
    const folder = folderOf('twilio-bot');
    folder.write('twilio-bot.mjs', ported(blocksOf('docs/legs/twilio.md', 'js')[0]!));
    const env = envOf(ported(ofBot!));
    const bot = run(folder, process.execPath, ['twilio-bot.mjs'], env);
    await bot.until(/the webhook listens/);

    const stranger = await fetch(env.WEBHOOK!, {
      method: 'POST',
      body: new URLSearchParams({ CallSid: 'CA1' }),
    });
    expect(stranger.status).toBe(403);

    const words = commandsOf(ported(ofCall!))[0]!;
    const wav = join(folder.path, 'call.wav');
    const args = words.slice(words.indexOf('simulate') + 1);
    args[args.indexOf('--out') + 1] = wav;
    const terminal = { ...createFakeTerminal(args), env: envOf(ported(ofCall!)) };
    expect(await simulate.run(terminal)).toBe(0);
    expect(JSON.parse(terminal.printed.at(-1)!) as SimulationReport).toMatchObject({
      leg: 'twilio',
      clears: 1,
      faults: [],
    });
    expect(statSync(wav).size).toBeGreaterThan(50_000);
    await bot.until(/^heard: I have heard you\. Goodbye for now\. \| not heard: $/m);
    expect(bot.printed()).toMatch(/^heard: Good[\s\S]* \| not heard: [\s\S]*until you do\.\nheard: I have/m);

    // Whoever signs with another token is nobody.
    const forged = { ...terminal, env: { VOXGATE_TWILIO_AUTH_TOKEN: 'another' } };
    await expect(simulate.run(forged)).rejects.toThrow(/The webhook answered 403/);
    await gateway.close();
  });
});
