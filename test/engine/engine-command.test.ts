// The flags of `voxgate engine`: what it prints, and what it says about the ones that it cannot use.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { engine } from '../../src/cli/engine.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { removeScratch } from './engine-fixture.ts';

afterAll(removeScratch);
const folder = scratchFolder('engine-command');
afterAll(() => rmSync(folder, { recursive: true }));
const keysFile = join(folder, 'keys.txt');
writeFileSync(keysFile, 'ann:key-of-ann@60\n');

const terminal = (args: readonly string[]) => ({
  ...createFakeTerminal(args),
  interrupted: AbortSignal.abort(),
});

describe('voxgate engine', () => {
  it.each([
    [['--port', '70000'], /--port is "70000"; allowed: a whole number from 0 to 65535/],
    [['--fault', 'slow'], /--fault is "slow"; allowed: one of limit, limit-change, in-flight/],
    [['--fault', 'garbage', '--fault', 'short=x'], /--fault is "short=x"; allowed: short=BYTES/],
    [['--fault', 'garbage@2'], /--fault is "garbage@2"; allowed: a share above 0 and at most 1/],
    [['--fault-seed', '-1'], /--fault-seed/],
    [
      ['--fault-seed', '4294967296'],
      /--fault-seed is "4294967296"; allowed: a whole number from 0 to 4294967295/,
    ],
    [['--fault'], /--fault/],
    [
      ['--canned', '--canned-speed', '1001'],
      /--canned-speed is "1001"; allowed: a whole number from 0 to 1000, 0 = all/,
    ],
    [['--canned', '--canned-first-byte', 'x'], /--canned-first-byte is "x"; allowed: a whole number from 0/],
    [['--canned-speed', '5'], /--canned-speed and --canned-first-byte are for --canned, which is not set/],
    [['--keys', 'nobody'], /--keys/],
    [['--keys-file', 'nowhere.txt'], /--keys-file.*nowhere\.txt.*ENOENT/],
    [['--keys-file', keysFile, '--keys', 'bob:key'], /--keys and --keys-file are both set; set one/],
    [['--host', '0.0.0.0'], /--host is 0\.0\.0\.0, which others can reach.*--keys-file or use 127\.0\.0\.1/],
    [['--host', '::'], /--host is ::/],
    [['--host', 'a b'], /--host is "a b"; allowed: a host name/],
    [['--faults', 'x'], /Flags: .*--fault/],
  ])('refuses %j, naming what is allowed', async (args, message) => {
    const failed = await engine.run(terminal(args)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UsageError);
    expect((failed as UsageError).message).toMatch(message);
  });

  it('lists every fault in its help', () => {
    for (const name of ['limit', 'in-flight', 'status', 'wrong-type', 'first-byte', 'stall', 'drip', 'reset'])
      expect(engine.help()).toMatch(new RegExp(`^ +${name}`, 'm'));
  });

  it('takes its keys from a file, and then may be reached by others', async () => {
    const shown = terminal([
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--log-level',
      'silent',
      '--keys-file',
      keysFile,
    ]);
    expect(await engine.run(shown)).toBe(0);
    expect(shown.printed.join('\n')).not.toMatch(/keys +none/);
  });

  it('says which faults it was started with', async () => {
    const shown = terminal(['--port', '0', '--log-level', 'silent', '--fault', 'stall=500@0.5']);
    expect(await engine.run(shown)).toBe(0);
    expect(shown.printed.join('\n')).toMatch(/fault +stall=500@0\.5/);
  });

  it('says that its sound is canned, and where its report is', async () => {
    const shown = terminal([
      '--port',
      '0',
      '--log-level',
      'silent',
      '--canned',
      '--canned-speed',
      '9',
      '--report',
    ]);
    expect(await engine.run(shown)).toBe(0);
    expect(shown.printed.join('\n')).toMatch(
      /report +GET +http.*\/report\n +canned +9 × real time after 200 ms/,
    );
  });
});
