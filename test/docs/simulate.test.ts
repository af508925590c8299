// docs/simulate.md: each of its commands, with fewer and shorter trials, before a gateway that is there.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../testkit/cli/simulate.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { blocksBy } from '../support/page-blocks.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { commandsOf } from '../support/shell-words.ts';

const { text } = blocksBy('docs/simulate.md', 'test/docs/simulate.test.ts')[0]!;
/** Whatever the page says. */
const LESS: Readonly<Record<string, string>> = { '--repeat': '2', '--seconds': '1' };

const folder = mkdtempSync(join(tmpdir(), 'simulate-page-'));
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({ script: speaking });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.concurrent('docs/simulate.md', () => {
  it.each(commandsOf(text).map((words) => [words.join(' '), words] as const))('%s', async (_line, words) => {
    const args = words
      .slice(2)
      .map((word) => word.replace(/^"(.*)"$/, '$1').replace('8080', String(gateway.port)));
    for (const [flag, value] of Object.entries(LESS))
      if (args.includes(flag)) args[args.indexOf(flag) + 1] = value;
    expect(words.slice(0, 2)).toEqual(['voxgate', 'simulate']);
    const wav = join(folder, `${args.join('-').replace(/\W+/g, '-').slice(0, 80)}.wav`);
    if (args.includes('--out')) args[args.indexOf('--out') + 1] = wav;
    const terminal = {
      ...createFakeTerminal(args),
      env: {
        VOXGATE_UPSTREAM_URL: gateway.upstream.url.origin,
        VOXGATE_UPSTREAM_KEYS: 'user:key',
        VOXGATE_WORD_TIMES: 'never',
        VOXGATE_BUSY_AT: '0',
      },
    };
    // Where it does not speak itself a session of the reader's own is to attach, and here there is none.
    const isHeard = args.includes('--say');
    expect(await simulate.run(terminal), terminal.printed.join('\n')).toBe(isHeard ? 0 : 1);
    const faults = isHeard ? [] : [expect.stringContaining('nothing was heard')];
    expect(JSON.parse(terminal.printed.at(-1)!)).toMatchObject({ faults });
    expect(existsSync(wav)).toBe(args.includes('--out'));
  });
});
