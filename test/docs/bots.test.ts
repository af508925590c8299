// The bots of docs/bot.md and docs/legs/twilio.md as they stand but for ports: somebody asks, interrupts, and asks again; a
// strict carrier asks the webhook, signed, and its caller talks into the greeting.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { freePort } from '../../testkit/carriers/free-port.ts';
import { startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { simulate } from '../../testkit/cli/simulate.ts';
import type { SimulationReport } from '../../testkit/cli/simulate-report.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { isMissing } from '../support/missing-programs.ts';
import { blocksBy } from '../support/page-blocks.ts';
import { buildProgram } from '../support/program.ts';
import { createReaderFolder, type ReaderFolder } from '../support/reader-folder.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { commandsOf } from '../support/shell-words.ts';

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

  type Message = { readonly role: string; readonly content: string };
  /** The bot with a model that also tells what it is asked. */
  const [js] = blocksOf('docs/bot.md', 'js') as [string];
  const [python, resuming] = blocksOf('docs/bot.md', 'python') as [string, string];
  const told = (code: string) => {
    const more = code
      .replace('  const answer =', "  console.log('asked: ' + JSON.stringify(messages));\n  const answer =")
      .replace('    answer =', '    print("asked: " + json.dumps(messages), flush=True)\n    answer =');
    expect(more).not.toBe(code);
    return more;
  };
  const asked = ({ printed }: Running) =>
    [...printed().matchAll(/^asked: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as Message[]);
  const heard = ({ printed }: Running) =>
    [...printed().matchAll(/^bot: (.*?)( … \(interrupted\))?$/gm)].map(([, words]) => words!);
  const started = (name: string, program: string, code: string, port: number, env = {}) => {
    const folder = folderOf(`bot-${name}-${children.length}`);
    folder.write(name, told(code).replaceAll('8080', String(port)));
    return { folder, bot: run(folder, program, [name], env) };
  };

  /** Somebody asks, interrupts, says two things in one breath, and asks something else. */
  async function talk(name: string, program: string, code: string) {
    const { folder, bot } = started(name, program, code, gateway.port);
    bot.child.stdin.write('What is new?\n');
    while (!heardIn(folder).some((size) => size > 40_000) && bot.child.exitCode === null) await pause(20);
    bot.child.stdin.write('Wait.\nNo.\n');
    await bot.until(/^bot: .*\n(?:.*\n)*bot: You said .*\. ?$/m);
    bot.child.stdin.end('Something else, please\n');
    expect(await bot.ended, bot.printed()).toBe(0);
    const said = heard(bot);
    expect(said[0]).toMatch(/^You said/);
    expect(said[0]).not.toContain('speaking');
    expect(said.at(-1)).toMatch(/^You said ["']Something else, please["']\. .*\. ?$/);
    // Each time the model gets all that was said and heard, in its order and by turns.
    const requests = asked(bot);
    expect(requests.length).toBeGreaterThanOrEqual(3);
    for (const messages of requests) {
      expect(messages.map(({ role }) => role)).toEqual(
        messages.map((_message, index) => (index % 2 === 0 ? 'user' : 'assistant')),
      );
      expect(messages.at(-1)!.role).toBe('user');
    }
    const last = requests.at(-1)!;
    expect(last.map(({ content }) => content)).toEqual([
      'What is new?',
      said[0],
      'Wait. No.',
      ...said.filter((words) => /^You said .Wait. No/.test(words)),
      'Something else, please',
    ]);
  }

  /** The gateway goes and comes back, on the same port. */
  async function outlive(name: string, program: string, code: string) {
    const port = await freePort();
    const env = { VOXGATE_PORT: String(port) };
    const first = await startRunningGateway({ script: speaking, env });
    const { bot } = started(name, program, code, port);
    bot.child.stdin.write('What is new?\n');
    await bot.until(/^bot: You said/m);
    await first.close();
    await bot.until(/The gateway closed the connection \(1\d\d\d/);
    await bot.until(/It is tried again\.$/m);
    // What takes connections and drops them without an answer, as a gateway does for a moment while it stops.
    const silent = createServer((socket) => socket.destroy());
    silent.listen(port, '127.0.0.1');
    await once(silent, 'connection');
    await once(silent, 'connection');
    await new Promise((resolve) => silent.close(resolve));
    const second = await startRunningGateway({ script: speaking, env });
    bot.child.stdin.end('And now?\n');
    expect(await bot.ended, bot.printed()).toBe(0);
    expect(
      asked(bot)
        .at(-1)!
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'user']);
    expect(heard(bot).at(-1)).toMatch(/^You said .And now\?/);
    await second.close();
  }

  /** Its connection is lost in the middle of an answer, which its model has not ended; the listener is told no rest of it. */
  async function beginAnew(name: string, program: string, code: string) {
    const line = await startChaosProxy({ target: `http://127.0.0.1:${gateway.port}`, seed: 1, toxics: [] });
    const slow = code.replace('await pause(30)', 'await pause(150)').replace('sleep(0.03)', 'sleep(0.15)');
    expect(slow).not.toBe(code);
    const { folder, bot } = started(name, program, slow, line.port);
    bot.child.stdin.write(`Tell me about ${name}\n`);
    while (!heardIn(folder).some((size) => size > 0) && bot.child.exitCode === null) await pause(20);
    line.cut();
    await bot.until(/The gateway closed the connection/);
    bot.child.stdin.end('Go on\n');
    expect(await bot.ended, bot.printed()).toBe(0);
    await line.close();
    // Nothing of the first answer has been heard, so its listener's words stand in one with those that came then.
    const again = `You said .Tell me about ${name} Go on.\\. Ask .* speaking\\. ?$`;
    expect(heard(bot)).toEqual([expect.stringMatching(new RegExp(`^${again}`))]);
  }

  /** Its session outlives its connections: an answer is heard whole through drops, and one that is cut while they are away is not. */
  async function comeBack(program: string, code: string) {
    const line = await startChaosProxy({ target: `http://127.0.0.1:${gateway.port}`, seed: 1, toxics: [] });
    const folder = folderOf('resuming');
    folder.write('resuming.py', code.replaceAll('8080', String(line.port)));
    const bot = run(folder, program, ['resuming.py']);
    const grows = async () => {
      const size = () => Math.max(0, ...heardIn(folder));
      const before = size();
      while (size() <= before && bot.child.exitCode === null) await pause(20);
    };
    bot.child.stdin.write('What is new?\n');
    for (let drop = 0; drop < 3; drop += 1) {
      await grows();
      line.cut();
    }
    await bot.until(/^bot, \d+ ms: .*$/m);
    const [, ms] = /^bot, (\d+) ms: You said 'What is new\?'.* speaking\. ?$/m.exec(bot.printed())!;
    expect(Math.abs(Math.max(...heardIn(folder)) - Number(ms) * 48)).toBeLessThanOrEqual(48);

    bot.child.stdin.write('And then?\n');
    while (heardIn(folder).length < 2) await pause(20);
    line.cut();
    bot.child.stdin.end('Wait, please\n');
    expect(await bot.ended, bot.printed()).toBe(0);
    const said = [...bot.printed().matchAll(/^bot, \d+ ms: (.*)$/gm)].map(([, words]) => words!);
    expect(said).toHaveLength(3);
    expect(said[1]).not.toContain('speaking');
    expect(said[2]).toMatch(/^You said 'Wait, please'.* speaking\. ?$/);
    expect(bot.printed()).not.toContain('lost');
    // Three turns, three loudspeakers: nothing of the second one came after its cut.
    expect(heardIn(folder)).toHaveLength(3);
    await line.close();
  }

  /** A session that nothing is left of: the gateway has forgotten it. */
  async function loseIt(program: string, code: string) {
    const server = createHttpServer();
    const sessions = new WebSocketServer({ noServer: true });
    const addresses: string[] = [];
    server.on('upgrade', (request, socket, head) => {
      addresses.push(request.url!);
      if (request.url!.includes('after='))
        return socket.end('HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n');
      sessions.handleUpgrade(request, socket, head, (client) => {
        client.send(JSON.stringify({ type: 'ready', n: 1, resume: { token: 'one' } }));
        client.once('message', () => client.terminate());
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const folder = folderOf('lost');
    folder.write('resuming.py', code.replaceAll('8080', String(port)));
    const bot = run(folder, program, ['resuming.py']);
    bot.child.stdin.end('What is new?\n');
    expect(await bot.ended, bot.printed()).toBe(1);
    expect(bot.printed()).toBe('The session is lost.\n');
    expect(addresses[1]).toContain('after=1');
    server.closeAllConnections();
    server.close();
  }

  /** With a wrong key it ends and says what the gateway says: no traceback. */
  async function beRefused(name: string, program: string, code: string, words: RegExp) {
    const guarded = await startRunningGateway({ env: { VOXGATE_API_KEYS: 'me:secret' } });
    const { bot } = started(name, program, code, guarded.port, { VOXGATE_KEY: 'wrong' });
    expect(await bot.ended).toBe(1);
    expect(bot.printed().trim()).toMatch(words);
    await guarded.close();
  }

  const NO_SOUND =
    '(ffplay has ended by itself; perhaps there is no sound device. Nothing is heard from now on.)';

  /** Its loudspeaker is not there, or ends: it says so once, and all else is as ever. Enter alone says nothing. */
  async function beSilent(name: string, program: string, code: string) {
    const tryWith = async (speaker: 'ends' | 'none', words: string) => {
      const folder = folderOf('silent');
      if (speaker === 'ends') folder.standIn('ffplay', 'echo "Could not initialize SDL" >&2; exit 1');
      folder.write(name, code.replaceAll('8080', String(gateway.port)));
      const bot = run(folder, program, [name], speaker === 'none' ? { PATH: '' } : {});
      bot.child.stdin.write('\nHello\n');
      if (speaker === 'ends') {
        await bot.until(/^bot.*: You said .Hello/m);
        bot.child.stdin.write('And again\n');
      }
      bot.child.stdin.end();
      expect(await bot.ended, bot.printed()).toBe(0);
      expect(bot.printed().match(/\(.*Nothing is heard.*/g)).toEqual([words]);
      expect(bot.printed()).toMatch(/^bot.*: You said .*speaking\. ?$/m);
      expect(bot.printed()).not.toMatch(/SDL|Cannot read|index out of|lost|closed/);
    };
    await Promise.all([
      tryWith('ends', NO_SOUND),
      tryWith('none', '(ffplay is not installed. Nothing is heard from now on.)'),
    ]);
  }

  describe('the bot in JavaScript', () => {
    it('is interrupted, and its model knows what was heard', () => talk('bot.mjs', process.execPath, js));
    it('connects again', () => outlive('bot.mjs', process.execPath, js), 120_000);
    it('says no rest of an old answer then', () => beginAnew('bot.mjs', process.execPath, js));
    it('ends with what a gateway says that does not take its key', () =>
      beRefused('bot.mjs', process.execPath, js, /^The gateway refused the session: 401 UNAUTHORIZED: .*$/));
    it('says when nothing plays', () => beSilent('bot.mjs', process.execPath, js));
  });

  describe.skipIf(isMissing('python3-websockets'))('the bot in Python', () => {
    const program = '/usr/bin/python3';
    it('is interrupted, and its model knows what was heard', () => talk('bot.py', program, python));
    it('connects again', () => outlive('bot.py', program, python), 120_000);
    it('says no rest of an old answer then', () => beginAnew('bot.py', program, python));
    it('comes back to its session', () => comeBack(program, resuming));
    it('ends with what a gateway says that does not take its key', () =>
      beRefused('bot.py', program, python, /^(?!.*errorMessage).*(?:HTTP 401|Authorization: Bearer).*$/));
    it('ends, where it would come back, with what refused it', () =>
      beRefused('resuming.py', program, resuming, /^.*HTTP 401.*$/));
    it('says when nothing plays', () => beSilent('bot.py', program, python));
    it('says when nothing plays, and keeps its session', () => beSilent('resuming.py', program, resuming));
    it('says two things in one breath', async () => {
      const folder = folderOf('breath');
      folder.write('resuming.py', resuming.replaceAll('8080', String(gateway.port)));
      const bot = run(folder, program, ['resuming.py']);
      bot.child.stdin.end('Wait\nNo\n');
      expect(await bot.ended, bot.printed()).toBe(0);
      expect(bot.printed()).toMatch(/^bot, \d+ ms: You said 'No'.*speaking\. ?\n$/);
    });
    it('ends with 1 when its session is lost', () => loseIt(program, resuming));
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

    // A caller who hangs up in the greeting.
    const hasty = args.filter((arg) => arg !== '--talk-after-ms' && arg !== '2000');
    const hanging = { ...createFakeTerminal([...hasty, '--seconds', '3']), env: terminal.env };
    expect(await simulate.run(hanging)).toBe(0);
    await bot.until(/\nleg_gone: .*\nheard: Good[\s\S]* \| not heard: [\s\S]*until you do\.\n$/);

    // Whoever signs with another token is nobody, and is told what was signed.
    const forged = { ...terminal, env: { VOXGATE_TWILIO_AUTH_TOKEN: 'another' } };
    await expect(simulate.run(forged)).rejects.toThrow(/The webhook answered 403.*signed.*\/voice/);
    const unsigned = { ...terminal, env: {} };
    await expect(simulate.run(unsigned)).rejects.toThrow(/The webhook answered 403.*had no signature/);
    await bot.until(/signed with another auth token[\s\S]*has no signature/);

    // What is missing at the start is told at the start.
    const port = ported('3000');
    const second = run(folder, process.execPath, ['twilio-bot.mjs'], env);
    expect([await second.ended, second.printed()]).toEqual([
      1,
      expect.stringContaining(`Port ${port} is taken`),
    ]);
    const keyless = run(folder, process.execPath, ['twilio-bot.mjs'], { TWILIO_AUTH_TOKEN: '' });
    expect([await keyless.ended, keyless.printed()]).toEqual([
      1,
      expect.stringMatching(/^Set TWILIO_AUTH_TOKEN.*\n$/),
    ]);
    await gateway.close();
  });
});
