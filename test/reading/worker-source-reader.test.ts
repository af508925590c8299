// Threads that hang, die, or are not wanted any more: each is an error of its own document, and never of the next.
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { SourceReader } from '../../src/reading/source-reader.ts';
import {
  createWorkerSourceReader,
  type WorkerSourceReaderOptions,
} from '../../src/reading/worker-source-reader.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const program = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`,
  );
const ENDLESS = program('for (;;);');
const NEVER = new AbortController().signal;
const file = (name: string) => ({
  path: fileURLToPath(new URL(`../../fixtures/documents/${name}`, import.meta.url)),
  name,
  contentType: undefined,
});

const readers: SourceReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});
function readerWith(options: Partial<WorkerSourceReaderOptions> = {}): SourceReader {
  const reader = createWorkerSourceReader({ clock: systemClock, log: silentLog, ...options });
  readers.push(reader);
  return reader;
}

describe('the reader with threads', () => {
  it('reads files side by side', async () => {
    const reader = readerWith();
    const read = await Promise.all(
      ['brot.docx', 'lighthouses.csv'].map((name) => reader.read(file(name), name, NEVER)),
    );
    expect(read.map(({ language }) => language)).toEqual(['german', 'english']);
  });

  it('ends a thread at the deadline, by the clock that it was given', async () => {
    const clock = createFakeClock();
    const read = readerWith({ clock, program: ENDLESS, deadlineMs: 20_000 }).read(
      file('brot.docx'),
      'ann',
      NEVER,
    );
    const outcome = expect(read).rejects.toMatchObject({
      code: 'invalid_source',
      message: expect.stringMatching(/20 seconds/),
    });
    await clock.run(20_000);
    await outcome;
    expect(clock.timers).toBe(0);
  });

  it('ends a thread whose step takes longer than it said', async () => {
    const stuck = program("parentPort.postMessage({ kind: 'step', withinMs: 10 }); for (;;);");
    await expect(readerWith({ program: stuck }).read(file('brot.docx'), 'ann', NEVER)).rejects.toMatchObject({
      message: expect.stringMatching(/A page of the file/),
    });
  });

  it.each([
    ['an exit', 'process.exit(3);', /damaged/],
    ['an error', "throw new Error('canary');", /damaged/],
    [
      'too much memory',
      'const held = []; for (;;) held.push(new Array(10_000).fill(held.length));',
      /memory/,
    ],
  ])('makes %s an error of that document', async (_, code, message) => {
    const outcome: unknown = await readerWith({ program: program(code) })
      .read(file('brot.docx'), 'ann', NEVER)
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: 'invalid_source', message: expect.stringMatching(message) });
    expect(String(outcome)).not.toContain('canary');
  });

  it('stops when its caller does, whether it reads or waits, and lets the next one in', async () => {
    const reader = readerWith({ program: ENDLESS, mostAtOnce: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const reads = [first, second].map(({ signal }) => reader.read(file('brot.docx'), 'ann', signal));
    const outcomes = reads.map((read) => expect(read).rejects.toThrow('enough'));
    second.abort(new Error('enough'));
    await outcomes[1];
    first.abort(new Error('enough'));
    await outcomes[0];
    await expect(
      reader.read(file('brot.docx'), 'ann', AbortSignal.abort(new Error('before'))),
    ).rejects.toThrow('before');
  });

  it('refuses a file when all slots are taken, and every file when it closes', async () => {
    const reader = readerWith({ program: ENDLESS, mostAtOnce: 1, mostWaiting: 1 });
    const reads = [0, 1].map(() => reader.read(file('brot.docx'), 'ann', NEVER));
    const outcomes = reads.map((read) => expect(read).rejects.toMatchObject({ code: 'shutting_down' }));
    await expect(reader.read(file('brot.docx'), 'ann', NEVER)).rejects.toMatchObject({ code: 'busy' });
    await reader.close();
    await Promise.all(outcomes);
    await expect(reader.read(file('brot.docx'), 'ann', NEVER)).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });

  it('keeps to the size that it was given, before anything is read', async () => {
    const reader = readerWith({ limits: { fileBytes: 1024 * 1024, textChars: 100 } });
    await expect(reader.read(file('brot.docx'), 'ann', NEVER)).rejects.toMatchObject({
      message: expect.stringMatching(/100 characters/),
    });
  });
});
