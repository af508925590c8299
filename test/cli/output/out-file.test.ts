// Files, links, devices, pipes and standard output as the place of a result.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { wavHeader } from '../../../src/audio/containers/wav.ts';
import { ReaderLeft } from '../../../src/cli/command.ts';
import { openOutFile, writeOutFile } from '../../../src/cli/output/out-file.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const folder = scratchFolder('out-file');
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
const at = (name: string) => join(folder, name);
const place = createFakeTerminal([]);
const BYTES = Buffer.from('some bytes');

describe('a file', () => {
  it('has its name when it is whole, and a WAV header its true sizes', async () => {
    const out = await openOutFile(place, '--out', at('a.wav'));
    out.write(wavHeader({ sampleRate: 8000, channels: 1 }));
    out.write(new Uint8Array(100));
    expect([readdirSync(folder), out.bytes()]).toEqual([
      [expect.stringMatching(/^a\.wav\.[\da-f]{8}\.part$/)],
      144,
    ]);
    await out.finish();
    const wav = readFileSync(at('a.wav'));
    expect([wav.length, wav.readUInt32LE(40)]).toEqual([144, 100]);
    expect(readdirSync(folder)).toEqual(['a.wav']);
  });

  it('stays as it was when nothing came, or what came is taken back', async () => {
    writeFileSync(at('a'), 'before');
    await (await openOutFile(place, '--out', at('a'))).finish();
    const out = await openOutFile(place, '--out', at('a'));
    out.write(BYTES);
    out.discard();
    expect([readdirSync(folder), readFileSync(at('a'), 'utf8')]).toEqual([['a'], 'before']);
  });

  it('leaves nothing beside it where it cannot have its name in the end', async () => {
    const out = await openOutFile(place, '--out', at('a'));
    out.write(BYTES);
    mkdirSync(at('a'));
    await expect(out.finish()).rejects.toThrow(/^--out: ".*a" could not be written: /);
    expect(readdirSync(folder)).toEqual(['a']);
    rmdirSync(at('a'));
  });

  it('that a link leads to is replaced, and the link is not', async () => {
    writeFileSync(at('true'), 'before');
    symlinkSync(at('true'), at('link'));
    await writeOutFile(place, '--out', at('link'), BYTES);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('true'))).toEqual(BYTES);
  });

  it('is made beside what others have there: another command, or what a killed one has left', async () => {
    writeFileSync(at('a.part'), 'of another');
    const [one, two] = await Promise.all([
      openOutFile(place, '--out', at('a')),
      openOutFile(place, '--out', at('a')),
    ]);
    one.write(BYTES);
    two.write(Buffer.from('later'));
    await one.finish();
    expect(readFileSync(at('a'))).toEqual(BYTES);
    await two.finish();
    expect(readFileSync(at('a'), 'utf8')).toBe('later');
    expect(readFileSync(at('a.part'), 'utf8')).toBe('of another');
    expect(readdirSync(folder).sort()).toEqual(['a', 'a.part']);
  });

  it('keeps its mode and its owner; a new one has those that any new file has', async () => {
    writeFileSync(at('old'), 'before');
    chmodSync(at('old'), 0o640);
    const owner = process.getuid?.() === 0 ? 12_345 : statSync(at('old')).uid;
    chownSync(at('old'), owner, statSync(at('old')).gid);
    writeFileSync(at('any'), '');
    await writeOutFile(place, '--out', at('old'), BYTES);
    await writeOutFile(place, '--out', at('new'), BYTES);
    const { mode, uid } = statSync(at('old'));
    expect([mode & 0o7777, uid, readFileSync(at('old'))]).toEqual([0o640, owner, BYTES]);
    expect(statSync(at('new')).mode).toBe(statSync(at('any')).mode);
  });

  it('with a name as long as can be is made all the same', async () => {
    const name = 'é'.repeat(127);
    await writeOutFile(place, '--out', at(name), BYTES);
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('that a link leads to is made where it leads, also over other links', async () => {
    symlinkSync('b', at('a'));
    symlinkSync('c', at('b'));
    await writeOutFile(place, '--out', at('a'), BYTES);
    expect([lstatSync(at('a')).isSymbolicLink(), lstatSync(at('b')).isSymbolicLink()]).toEqual([true, true]);
    expect(readFileSync(at('c'))).toEqual(BYTES);
  });

  it.each([
    ['nowhere/x', 'ENOENT'],
    ['circle', 'ELOOP'],
  ])('is not made in the place of a link to %s', async (to, code) => {
    symlinkSync(to, at('circle'));
    const refused = writeOutFile(place, '--out', at('circle'), BYTES);
    await expect(refused).rejects.toThrow(new RegExp(`could not be written: .*\\(${code}\\)$`));
    expect(readlinkSync(at('circle'))).toBe(to);
  });

  it('that cannot be opened is told in words', async () => {
    await expect(writeOutFile(place, '--vtt', at('no/x'), BYTES)).rejects.toThrow(
      /^--vtt: ".*no\/x" could not be written: no such file or folder \(ENOENT\)$/,
    );
  });
});

describe.skipIf(!existsSync('/dev/full'))('a device', () => {
  it('is written to, and stays one', async () => {
    await writeOutFile(place, '--out', '/dev/null', BYTES);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(readdirSync('/dev').filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('without room fails once, in words, whatever is written after it', async () => {
    const out = await openOutFile(place, '--out', '/dev/full');
    out.write(BYTES);
    out.write(BYTES);
    const words = '--out: "/dev/full" could not be written: no space is left on the device (ENOSPC)';
    await expect(out.failed).rejects.toThrow(words);
    await expect(out.room()).rejects.toThrow(words);
    await expect(out.finish()).rejects.toThrow(words);
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });
});

describe('a named pipe', () => {
  const makePipe = (name: string) => {
    execFileSync('mkfifo', [at(name)]);
    return at(name);
  };

  it('gives its reader all of it, and the end', async () => {
    const pipe = makePipe('p');
    const chunks: Buffer[] = [];
    const read = (async () => {
      for await (const chunk of createReadStream(pipe)) chunks.push(chunk as Buffer);
    })();
    // More than a pipe holds.
    await writeOutFile(place, '--out', pipe, Buffer.alloc(300_000, 7));
    await read;
    expect(Buffer.concat(chunks)).toEqual(Buffer.alloc(300_000, 7));
  });

  it('without a reader is waited for until the command is interrupted', async () => {
    const pipe = makePipe('q');
    const controller = new AbortController();
    const opened = openOutFile({ ...place, interrupted: controller.signal }, '--out', pipe);
    setTimeout(() => controller.abort(), 50);
    await expect(opened).rejects.toThrow(
      /^--out: ".*q" could not be written: interrupted before anybody read it$/,
    );
  });

  it('whose reader has left is nothing to talk about', async () => {
    const pipe = makePipe('r');
    const reader = createReadStream(pipe);
    const out = await openOutFile(place, '--out', pipe);
    reader.destroy();
    await once(reader, 'close');
    out.write(Buffer.alloc(300_000));
    await expect(out.finish()).rejects.toBeInstanceOf(ReaderLeft);
  });
});

describe('standard output', () => {
  it.each(['/dev/stdout', '/dev/fd/1'])('is meant by %s, too', async (path) => {
    const terminal = createFakeTerminal([]);
    await writeOutFile(terminal, '--out', path, BYTES);
    expect(terminal.result()).toEqual(BYTES);
  });

  it('takes the bytes and stays open', async () => {
    const terminal = createFakeTerminal([]);
    const out = await openOutFile(terminal, '--out', '-');
    out.write(BYTES);
    await out.finish();
    expect(terminal.result()).toEqual(BYTES);
    expect(terminal.output.writable).toBe(true);
  });

  it('that nobody takes is not waited for long once the command is interrupted', async () => {
    const output = new Writable({ write() {} });
    const stuck = { ...place, output, interrupted: AbortSignal.abort() };
    const out = await openOutFile(stuck, '--out', '-');
    out.write(BYTES);
    await expect(out.finish()).rejects.toThrow('interrupted before its reader took it');
  });
});
