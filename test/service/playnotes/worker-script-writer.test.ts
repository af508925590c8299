import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { SourceDocument } from '../../../src/script/source-document.ts';
import type { ScriptWish } from '../../../src/script/write-script.ts';
import { createEmbeddedScriptWriter } from '../../../src/service/playnotes/embedded-script-writer.ts';
import { createWorkerScriptWriter } from '../../../src/service/playnotes/worker-script-writer.ts';

const document: SourceDocument = {
  title: 'Salt',
  language: 'english',
  blocks: [
    { kind: 'heading', level: 1, text: 'Salt' },
    {
      kind: 'paragraph',
      text: 'Salt keeps meat fresh for months. Ships carried barrels of it across the northern seas. A tax on it once emptied whole villages. Miners dug it from dry seas that lay deep under the hills. Today a cook pays less for it than for water.',
    },
  ],
};
const wish: ScriptWish = {
  style: 'podcast',
  speakers: { name1: 'Ada', name2: 'Ben', voices: 2 },
  language: 'english',
  seed: 7,
};
const program = new URL('../../../src/service/playnotes/script-worker.ts', import.meta.url);
const writer = createWorkerScriptWriter({ clock: systemClock, program });
const never = new AbortController().signal;

describe('the writer in a thread', () => {
  it('writes what the embedded one writes', async () => {
    expect(await writer.write(document, wish, never)).toEqual(
      await createEmbeddedScriptWriter().write(document, wish, never),
    );
  });

  it('refuses in the same words', async () => {
    await expect(writer.write({ ...document, blocks: [] }, wish, never)).rejects.toMatchObject({
      code: 'invalid_source',
    });
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const written = writer.write(document, wish, stop.signal);
    stop.abort(new Error('enough'));
    await expect(written).rejects.toThrow('enough');
  });
});
