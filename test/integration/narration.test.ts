// Narration through real sockets: paused, sought and resumed by a client, and as a command.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { narrate } from '../../src/cli/narrate.ts';
import { say } from '../../src/cli/say.ts';
import { connectSession } from '../../src/client/voxgate-client.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { writePdf } from '../support/pdf-writer.ts';
import { type RunningGateway, startRunningGateway } from '../support/running-gateway.ts';

const TEXT = Array.from({ length: 4 }, (_, n) => `This is paragraph ${n}.`).join('\n\n');

let gateway: RunningGateway;
const folder = mkdtempSync(join(tmpdir(), 'voxgate-narration-'));
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => {
  await gateway.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

describe('narration', () => {
  it('is paused, sought and resumed by a client', async () => {
    let bytes = 0;
    const client = await connectSession({
      url: gateway.sessionUrl,
      onAudio: (audio) => {
        bytes += audio.length;
      },
    });
    const started = client.next('started');
    client.send({ type: 'speak', turn: 'a', text: TEXT });
    await started;
    const { atMs } = await client.pause('a');
    const paused = bytes;
    expect(paused / 8).toBe(atMs);
    expect(await client.seek('a', 3)).toMatchObject({ paragraph: 3, atMs });
    await expect(client.seek('a', 4)).rejects.toThrow('invalid_request');
    expect(bytes).toBe(paused);
    const heard = client.next('heard');
    expect((await client.resume('a')).atMs).toBe(atMs);
    expect(await heard).toMatchObject({ spokenText: 'This is paragraph 3.', remainingText: '' });
    client.close();
  });

  it('is a command that writes sound and captions, and fails where words were not found in the sound', async () => {
    const [book, out, vtt] = ['book.txt', 'book.wav', 'book.vtt'].map((name) => join(folder, name));
    writeFileSync(book!, TEXT);
    const terminal = {
      ...createFakeTerminal([book!, '--out', out!, '--vtt', vtt!, '--url', gateway.sessionUrl]),
      readFile: (path: string) => readFileSync(path, 'utf8'),
      writeFile: (path: string, bytes: Uint8Array) => writeFileSync(path, bytes),
    };
    // This gateway looks for no words.
    expect(await narrate.run(terminal)).toBe(1);
    expect(terminal.complaints).toEqual([
      '16 of 16 words were not found in the audio: their times are estimated from their length.',
    ]);
    const wav = readFileSync(out!);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(readFileSync(vtt!, 'utf8')).toMatch(/^WEBVTT[\s\S]*This is paragraph 3\./);
    expect(JSON.parse(terminal.printed.at(-1)!)).toMatchObject({ outcome: 'complete', bytes: wav.length });
  });

  it('has a command beside it, `say`, whose captions are not refused for that, and which says so once', async () => {
    const vtt = join(folder, 'say.vtt');
    const terminal = {
      ...createFakeTerminal([
        'Two words.',
        '--captions',
        vtt,
        '--pace',
        'burst',
        '--url',
        gateway.sessionUrl,
      ]),
      writeFile: (path: string, bytes: Uint8Array) => writeFileSync(path, bytes),
    };
    expect(await say.run(terminal)).toBe(0);
    expect(terminal.complaints).toEqual([
      '2 of 2 words were not found in the audio: their times are estimated from their length.',
    ]);
    expect(readFileSync(vtt, 'utf8')).toMatch(/^WEBVTT[\s\S]*Two words\./);
  });

  it('reads a PDF, and says why one cannot be read', async () => {
    const [pdf, broken, out] = ['tides.pdf', 'broken.pdf', 'tides.wav'].map((name) => join(folder, name));
    const said = 'The tide turns twice a day. Every harbour of the coast lives by it.';
    writeFileSync(pdf!, writePdf([said], { columns: 1, gap: 0 }));
    writeFileSync(broken!, '%PDF-1.7\nnothing');
    const command = (path: string) => createFakeTerminal([path, '--out', out!, '--url', gateway.sessionUrl]);
    const before = gateway.upstream.requests.length;
    const terminal = command(pdf!);
    expect(await narrate.run(terminal)).toBe(0);
    expect(JSON.parse(terminal.printed.at(-1)!)).toMatchObject({ outcome: 'complete' });
    const asked = gateway.upstream.requests.slice(before).map(({ body }) => (body as { text: string }).text);
    expect(asked.join(' ')).toBe(said);
    await expect(narrate.run(command(broken!))).rejects.toThrow(
      /broken\.pdf", which cannot be read: The PDF is damaged or incomplete/,
    );
  });

  it('says how it is called', async () => {
    await expect(narrate.run(createFakeTerminal([]))).rejects.toThrow('Give a text file');
    await expect(narrate.run(createFakeTerminal(['book.txt']))).rejects.toThrow('--out is missing');
    await expect(narrate.run(createFakeTerminal(['book.txt', '--out', 'x.mp3']))).rejects.toThrow(
      'cannot be read: no such file or folder (ENOENT)',
    );
  });
});
