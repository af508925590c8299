import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { sourceDigest } from '../../../src/script/source-digest.ts';
import { cutSentences } from '../../../src/service/playnotes/sentence-cutter.ts';
import { createWorkerSourceDigest } from '../../../src/service/playnotes/worker-source-digest.ts';
import { heatPumps } from '../../script/sample-documents.ts';

const program = new URL('../../../src/service/playnotes/source-digest-worker.ts', import.meta.url);
const digest = createWorkerSourceDigest({ clock: systemClock, program });
const wish = { document: heatPumps, language: 'english', mostWords: 80 } as const;
const never = new AbortController().signal;

describe('a digest in a thread', () => {
  it('is the digest', async () => {
    expect(await digest(wish, never)).toEqual(sourceDigest(heatPumps, 'english', cutSentences, 80));
  });

  it('fails by its code when the thread dies', async () => {
    const broken = createWorkerSourceDigest({
      clock: systemClock,
      program: new URL('data:text/javascript,throw new Error("gone")'),
    });
    await expect(broken(wish, never)).rejects.toMatchObject({ code: 'script_failed' });
  });
});
