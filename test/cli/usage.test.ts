// What the commands say about being called wrongly: the flag, what was given, what is allowed.

import { describe, expect, it } from 'vitest';
import { bench } from '../../bench/bench-command.ts';
import { type Command, UsageError } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { demo } from '../../src/cli/demo.ts';
import { engine } from '../../src/cli/engine.ts';
import { say } from '../../src/cli/say.ts';
import { serve } from '../../src/cli/serve.ts';
import { chaos } from '../../testkit/cli/chaos.ts';
import { simulate } from '../../testkit/cli/simulate.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';

const WRONG: [string, Command, string[], RegExp][] = [
  ['serve', serve, ['--prot', '1'], /--prot.*--port/],
  ['serve', serve, ['--host', '0.0.0.0'], /--host is 0\.0\.0\.0.*VOXGATE_API_KEYS/],
  ['serve', serve, ['--config', '/nowhere.yaml'], /--config.*\/nowhere\.yaml.*ENOENT/],
  ['serve', serve, ['extra'], /argument 1.*allowed: --name value/],
  ['engine', engine, ['--port', '99999'], /--port is "99999"; allowed: a whole number from 0 to 65535/],
  ['engine', engine, ['--port', ''], /--port is ""; allowed/],
  ['engine', engine, ['--keys', 'nonsense'], /--keys.*allowed: userId:apiKey/],
  ['engine', engine, ['--log-level', 'loud'], /--log-level is "loud"; allowed: fatal, error/],
  ['engine', engine, ['--colour'], /--colour[\s\S]*--host/],
  ['engine', engine, ['--canned-speed', '2'], /--canned-speed.*for --canned, which is not set/],
  ['chaos', chaos, [], /--target is missing; allowed: http:\/\/host:port/],
  ['chaos', chaos, ['--target', 'here'], /--target: the target is "here"; allowed: http:\/\/host:port/],
  [
    'chaos',
    chaos,
    ['--target', 'http://h', '--listen', '65536'],
    /--listen is "65536"; allowed: a whole number/,
  ],
  ['chaos', chaos, ['--target', 'http://h', '--seed', 'x'], /--seed is "x"; allowed: a whole number/],
  [
    'chaos',
    chaos,
    ['--target', 'http://h', '--toxic', 'fog'],
    /--toxic: the toxic is "fog"; allowed: latency/,
  ],
  ['chaos', chaos, ['--target', 'http://h', '--toxic', 'down@2'], /--toxic: toxicity of down is 2; allowed/],
  ['chaos', chaos, ['--colour'], /--colour[\s\S]*--target/],
  ['demo', demo, ['x'], /"x"/],
  ['say', say, ['two', 'words'], /"words".*quote/],
  ['say', say, ['x', '--colour', 'red'], /--colour[\s\S]*--format/],
  ['say', say, ['x', '--format', 'opus'], /--format is "opus"; allowed: mulaw, alaw/],
  ['say', say, ['x', '--sample-rate', 'abc'], /--sample-rate is "abc"; allowed: 8000 to 48000/],
  ['say', say, ['x', '--sample-rate', ''], /--sample-rate is ""; allowed: 8000 to 48000/],
  ['say', say, ['x', '--sample-rate', '7999'], /--sample-rate is "7999"; allowed: 8000 to 48000/],
  ['say', say, ['x', '--pace', 'fast'], /--pace is "fast"; allowed: realtime, burst/],
  ['say', say, ['x', '--speed', '9'], /--speed is "9"; allowed: 0.1 to 5/],
  ['say', say, ['x', '--seed=-1'], /--seed is "-1"; allowed: a number from 0/],
  ['say', say, ['x', '--temperature', '3'], /--temperature is "3"; allowed: 0 to 2/],
  ['say', say, ['x', '--voice', ''], /--voice is ""; allowed: 1 to 2048/],
  ['say', say, ['x', '--language', 'klingon'], /--language is "klingon"; allowed: afrikaans/],
  ['say', say, ['x', '--url', 'here'], /--url is "here"; allowed: a ws:\/\//],
  ['say', say, ['x', '--url', 'ftp://127.0.0.1:1'], /--url is "ftp:.*allowed: a ws:\/\//],
  ['say', say, ['x', '--url'], /--url/],
  ['say', say, ['x', '--out', 'x.txt'], /--out is "x\.txt"; allowed: .*\.wav/],
  ['say', say, ['x', '--out', 'x'], /--out is "x"; allowed: .*\.wav/],
  ['say', say, ['x', '--out', '/nowhere/x.wav'], /--out is "\/nowhere\/x\.wav".*ENOENT/],
  ['say', say, ['x', '--captions', 'x.txt'], /--captions is "x\.txt"; allowed: .*\.vtt \.srt \.json/],
  ['say', say, ['x', '--captions', 'x'], /--captions is "x"; allowed: .*\.vtt/],
  ['say', say, ['x', '--captions', 'x.constructor'], /--captions is "x\.constructor"; allowed: .*\.vtt/],
  ['simulate', simulate, [], /Name a leg.*twilio/],
  ['simulate', simulate, ['fax', '--say', 'x'], /no leg "fax"; there are twilio/],
  ['simulate', simulate, ['constructor', '--say', 'x'], /no leg "constructor"/],
  ['simulate', simulate, ['twilio'], /Give --url, or --say/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--url', 'here'], /--url is "here"; allowed: a ws:/],
  ['simulate', simulate, ['twilio', '--url', 'ws://h', '--repeat', '2'], /--repeat is for --say/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--repeat', '0'], /--repeat is "0"; allowed: .* from 1/],
  ['simulate', simulate, ['telnyx', '--say', 'x', '--codec', 'mp3'], /allowed for telnyx: PCMU, .*, G722/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--codec', 'constructor'], /allowed for twilio: mulaw/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--start-ms', '1e3'], /--start-ms .* from 0 to 60000/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--first-frame-ms', '60001'], /--first-frame-ms/],
  [
    'simulate',
    simulate,
    ['telnyx', '--say', 'x', '--auth-token-file', 'f'],
    /--auth-token-file is for twilio/,
  ],
  ['simulate', simulate, ['raw', '--say', 'x', '--public-url', 'https://h'], /--public-url is for twilio/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--seconds', 'a'], /--seconds is "a"; allowed: a whole/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--barge-in-ms', '-1'], /barge-in-ms/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--out', '/nowhere/x.wav'], /--out is .*ENOENT/],
  ['simulate', simulate, ['twilio', '--say', 'x', '--leg-url', 'tcp://h:1'], /--leg-url is for audiosocket/],
  [
    'simulate',
    simulate,
    ['audiosocket', '--say', 'x', '--url', 'ws://h'],
    /--leg-url is missing; allowed: tcp/,
  ],
  [
    'simulate',
    simulate,
    ['audiosocket', '--say', 'x', '--leg-url', 'h:1'],
    /--leg-url is "h:1"; allowed: tcp/,
  ],
  ['simulate', simulate, ['twilio', '--say', 'x', '--listen', '0'], /--listen is for chan-websocket/],
  [
    'simulate',
    simulate,
    ['chan-websocket', '--say', 'x', '--listen', '70000'],
    /--listen is "70000"; allowed: a port from 0/,
  ],
  [
    'simulate',
    simulate,
    ['chan-websocket', '--say', 'x', '--listen', '0', '--key', 'k'],
    /--listen .* needs --user/,
  ],
  ['simulate', simulate, ['twilio', '--colour'], /--colour[\s\S]*--barge-in-ms/],
  ['say', say, ['x', '--captions', '/nowhere/x.srt'], /--captions is "\/nowhere\/x\.srt".*ENOENT/],
];

describe('wrong usage', () => {
  it.each(WRONG)('voxgate %s %#', async (_name, command, args, message) => {
    const wrong = await command.run(createFakeTerminal(args)).catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(UsageError);
    expect((wrong as UsageError).message).toMatch(message);
  });

  it('nobody is asked to speak when there is no text and nothing is piped in', async () => {
    const terminal = createFakeTerminal([]);
    const command = say.run({ ...terminal, input: Object.assign(terminal.input, { isTTY: true }) });
    await expect(command).rejects.toThrow(/echo Hello\. \| voxgate say/);
  });
});

describe('help', () => {
  it('voxgate say tells of its captions', () => {
    expect(say.help()).toMatch(/--captions FILE .*\.vtt \.srt \.json/);
  });

  it.each(Object.entries(COMMANDS))('voxgate %s tells its usage', async (name, { summary, load }) => {
    // It loads the benchmarks from where they were built, which sources are not.
    const command = name === 'bench' ? bench : await load();
    expect(command.help()).toMatch(new RegExp(`^Usage: voxgate ${name}`));
    expect(summary).toMatch(/^[a-z].*[^.]$/);
  });
});
