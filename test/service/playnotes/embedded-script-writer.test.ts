import { describe, expect, it } from 'vitest';
import { createEmbeddedScriptWriter } from '../../../src/service/playnotes/embedded-script-writer.ts';
import { heatPumps } from '../../script/sample-documents.ts';

const wish = {
  style: 'podcast',
  speakers: { name1: 'Ada', name2: 'Ben', voices: 2 },
  language: 'english',
  seed: 1,
} as const;
const signal = new AbortController().signal;

describe('the embedded script writer', () => {
  it('writes a script', async () => {
    const script = await createEmbeddedScriptWriter().write(heatPumps, wish, signal);
    expect(script).toMatchObject({
      title: 'Heat pumps in old houses',
      style: 'podcast',
      language: 'english',
    });
    expect(script.chapters.length).toBeGreaterThan(3);
  });

  it('refuses a source without enough text, and does not repeat what is in it', async () => {
    const secret = {
      ...heatPumps,
      blocks: [{ kind: 'paragraph', text: 'Only one canary sentence is here.' }],
    } as const;
    const refused = createEmbeddedScriptWriter().write(secret, wish, signal);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_source' });
    await expect(refused).rejects.not.toThrow(/canary/);
  });

  it('does not begin when nobody waits any more', async () => {
    const reason = new Error('gone');
    await expect(createEmbeddedScriptWriter().write(heatPumps, wish, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  });
});
