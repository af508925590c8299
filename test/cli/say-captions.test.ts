// `voxgate say --captions`: the words of a turn as WebVTT, SubRip or JSON, by the ending of the file.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { say } from '../../src/cli/say.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { readSrt } from '../support/read-srt.ts';
import { readVtt, untimely } from '../support/read-vtt.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { audio, openGate, type Script } from '../support/scripted-upstream.ts';

const TEXT = 'The tide turns twice a day. “Is it late?” she asked – yes.';
const SAID = ['The tide turns twice a day.', '“Is it late?” she asked – yes.'];

let gateway: RunningGateway;
let script: Script = speaking;

beforeAll(async () => {
  gateway = await startRunningGateway({ script: (reply) => script(reply) });
});
afterAll(() => gateway.close());
afterEach(() => {
  script = speaking;
});

const folder = scratchFolder('say-captions');
afterAll(() => rmSync(folder, { recursive: true }));

/** `args` with names of files in a folder that is empty before and after. */
async function run(args: readonly string[], { input = '', interrupted = new AbortController().signal } = {}) {
  const placed = args.map((arg) => (/^\w+\.\w{3,4}$/.test(arg) ? join(folder, arg) : arg));
  const terminal = {
    ...createFakeTerminal([...placed, '--url', gateway.sessionUrl, '--pace', 'burst'], input),
    interrupted,
  };
  const code = await say.run(terminal);
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    files[name] = readFileSync(join(folder, name), 'utf8');
    rmSync(join(folder, name));
  }
  const ended = terminal.printed
    .map((line) => JSON.parse(line) as { type: string; outcome: string; audioMs: number })
    .find(({ type }) => type === 'ended')!;
  return { code, files, ended };
}

describe('captions of a turn', () => {
  it('are WebVTT that quotes the text', async () => {
    const { code, files, ended } = await run([TEXT, '--captions', 'tide.vtt']);
    expect(code).toBe(0);
    const cues = readVtt(files['tide.vtt']!);
    expect(cues.map(({ text }) => text)).toEqual(SAID);
    expect(untimely(cues, ended.audioMs)).toBeUndefined();
  });

  it('are SubRip with the same cues, beside the audio', async () => {
    const { code, files, ended } = await run([TEXT, '--captions', 'tide.SRT', '--out', 'tide.wav']);
    expect(code).toBe(0);
    expect(Object.keys(files).sort()).toEqual(['tide.SRT', 'tide.wav']);
    const cues = readSrt(files['tide.SRT']!);
    expect(cues.map(({ text }) => text)).toEqual(SAID);
    expect(untimely(cues, ended.audioMs)).toBeUndefined();
  });

  it('are JSON, a word each, with its place in the text and who speaks', async () => {
    const text = 'A: Who is it? B: Only me.';
    const prefixes = ['--voice2', 'vox:ben', '--turn-prefix', 'A:', '--turn-prefix2', 'B:'];
    const { files } = await run([text, '--captions', 'who.json', ...prefixes]);
    const words = JSON.parse(files['who.json']!) as Record<'text' | 'startMs' | 'endMs', unknown>[];
    expect(words.map(({ startMs: _start, endMs: _end, ...word }) => word)).toEqual([
      { text: 'Who', charStart: 3, charEnd: 6, speaker: 1 },
      { text: 'is', charStart: 7, charEnd: 9, speaker: 1 },
      { text: 'it?', charStart: 10, charEnd: 13, speaker: 1 },
      { text: 'Only', charStart: 17, charEnd: 21, speaker: 2 },
      { text: 'me.', charStart: 22, charEnd: 25, speaker: 2 },
    ]);
    const times = words.flatMap(({ startMs, endMs }) => [startMs as number, endMs as number]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('are where the words were found in the end, though a burst is sent before that', async () => {
    const [json, wav] = [join(folder, 'tide.json'), join(folder, 'tide.wav')];
    const terminal = createFakeTerminal([TEXT, '--captions', json, '--out', wav]);
    expect(await say.run(terminal)).toBe(0);
    const words = JSON.parse(readFileSync(json, 'utf8')) as {
      readonly startMs: number;
      readonly withinMs?: number;
    }[];
    for (const file of [json, wav]) rmSync(file);
    expect(words).toHaveLength(TEXT.split(' ').length - 1); // the dash is no word
    for (const { withinMs } of words) expect(withinMs).toBeLessThan(100);
    expect(terminal.complaints).toEqual([]);
  });

  it('of standard input quote what was piped in', async () => {
    const { files } = await run(['--captions', 'tide.vtt'], { input: TEXT });
    expect(readVtt(files['tide.vtt']!).map(({ text }) => text)).toEqual(SAID);
  });

  it('of a turn that failed before its first word leave the file as it was', async () => {
    script = audio(Buffer.alloc(5000));
    const { code, files } = await run([TEXT, '--captions', 'tide.vtt']);
    expect([code, files]).toEqual([1, {}]);
  });

  it('of a turn without anything to say are a file without cues', async () => {
    const { code, files } = await run(['…', '--captions', 'none.vtt']);
    expect(code).toBe(0);
    expect(readVtt(files['none.vtt']!)).toEqual([]);
  });

  it('of a turn that was interrupted before any of it came leave no file', async () => {
    const held = openGate();
    script = async (reply) => {
      await held.opened;
      await speaking(reply);
    };
    const controller = new AbortController();
    const before = gateway.upstream.requests.length;
    const spoken = run([TEXT, '--captions', 'tide.srt'], { interrupted: controller.signal });
    await expect.poll(() => gateway.upstream.requests.length).toBeGreaterThan(before);
    controller.abort();
    const { code, files } = await spoken;
    held.open();
    expect([code, files]).toEqual([1, {}]);
  });
});
