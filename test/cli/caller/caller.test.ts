// Key and address of a command: from flags, the environment and files, and never shown.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCaller, serviceUrlOf, sessionUrlOf } from '../../../src/cli/caller/caller.ts';
import { UsageError } from '../../../src/cli/command.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const folder = scratchFolder('caller');
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const KEY_FILE = file('key', 'of-a-file\n');
const OTHER_FILE = file('other', 'of-another\n');

type Given = Parameters<typeof readCaller>[1];
const read = (given: Given, env: Record<string, string> = {}, input = '') =>
  readCaller({ ...createFakeTerminal([], input), env }, given);
const ENV = { VOXGATE_URL: 'http://env:1', VOXGATE_KEY: 'of-env', VOXGATE_USER: 'ann' };

describe('the caller of a command', () => {
  it.each([
    [{}, {}, { url: undefined, key: undefined, user: undefined }],
    [{}, ENV, { url: 'http://env:1', key: 'of-env', user: 'ann' }],
    [
      { url: 'ws://flag:2', key: 'of-flag', user: 'bob' },
      ENV,
      { url: 'ws://flag:2', key: 'of-flag', user: 'bob' },
    ],
    [{ 'key-file': KEY_FILE }, ENV, { url: 'http://env:1', key: 'of-a-file', user: 'ann' }],
    [{}, { VOXGATE_KEY_FILE: OTHER_FILE }, { key: 'of-another' }],
    [{ 'key-file': KEY_FILE }, { VOXGATE_KEY_FILE: OTHER_FILE }, { key: 'of-a-file' }],
    [{}, { VOXGATE_KEY: '', VOXGATE_URL: '' }, { url: undefined, key: undefined }],
  ] as const)('%# flags go before the environment', async (given, env, wanted) => {
    expect(await read(given, env)).toMatchObject(wanted);
  });

  it('has its key from standard input', async () => {
    expect((await read({ 'key-file': '-' }, {}, 'piped-key\n')).key).toBe('piped-key');
  });

  it.each([
    [{ key: 'a', 'key-file': KEY_FILE }, {}, /^--key and --key-file are both set; set one of them$/],
    [{}, { VOXGATE_KEY: 'a', VOXGATE_KEY_FILE: KEY_FILE }, /^VOXGATE_KEY and VOXGATE_KEY_FILE are both set/],
    [
      { 'key-file': '/nowhere/key' },
      {},
      /^--key-file is "\/nowhere\/key", which cannot be read: no such file/,
    ],
    [{}, { VOXGATE_KEY_FILE: '/nowhere/key' }, /^VOXGATE_KEY_FILE is "\/nowhere\/key"/],
    [{}, { VOXGATE_URL: 'here' }, /^VOXGATE_URL is "here"; allowed: a ws:\/\/, wss:\/\/, http/],
    [{ url: 'ftp://x' }, {}, /^--url is "ftp:\/\/x"; allowed/],
  ] as const)('%# is refused in words', async (given, env, words) => {
    const refused = await read(given, env).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect((refused as UsageError).message).toMatch(words);
  });

  it('with something else than a key is told without it', async () => {
    const refused = read({ 'key-file': file('wrong', 'two words') });
    await expect(refused).rejects.toThrow(
      /^the file of --key-file holds something else than a key \(value not/,
    );
    await expect(refused).rejects.not.toThrow(/two words/);
    await expect(read({}, { VOXGATE_KEY: ' ' })).rejects.toThrow('VOXGATE_KEY holds something else');
  });
});

describe('an address in either form', () => {
  it.each([
    ['http://h:1', 'ws://h:1/v1/session', 'http://h:1'],
    ['http://h:1/', 'ws://h:1/v1/session', 'http://h:1'],
    ['https://h/voice', 'wss://h/voice/v1/session', 'https://h/voice'],
    ['ws://h:1', 'ws://h:1/v1/session', 'http://h:1'],
    ['ws://h:1/v1/session', 'ws://h:1/v1/session', 'http://h:1'],
    ['wss://h/a/v1/session?format=wav', 'wss://h/a/v1/session?format=wav', 'https://h/a'],
    ['http://h:1/v1/session', 'ws://h:1/v1/session', 'http://h:1'],
    ['ws://h:1/other', 'ws://h:1/other', 'http://h:1/other'],
  ])('%s', (given, session, service) => {
    expect([sessionUrlOf(given), serviceUrlOf(given)]).toEqual([session, service]);
  });
});
