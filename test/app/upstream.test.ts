// The last check before a pool: no text of another tenant passes, whatever asks.
import { expect, it } from 'vitest';
import { spokenAsBy } from '../../src/app/service-voices.ts';
import { onlyFor } from '../../src/app/upstream.ts';
import type { OpenOptions } from '../../src/upstream/speech-upstream.ts';
import { createMemoryUpstream } from '../support/memory-upstream.ts';

const REQUEST = { model: 'VoxDialog', text: 'Good morning.', seed: 1 } as const;
const asked = (tenant: string): OpenOptions => ({
  signal: new AbortController().signal,
  work: { class: 'resume', tenant, deadlineMs: 0 },
});

it('lets through the texts of its tenants, and of nobody else', async () => {
  const pool = createMemoryUpstream();
  const guarded = onlyFor(['ann'], pool);
  await expect(guarded.open(REQUEST, asked('ben'))).rejects.toMatchObject({ code: 'internal' });
  await expect(guarded.open(REQUEST, { signal: new AbortController().signal })).rejects.toThrow();
  expect(pool.requests).toHaveLength(0);
  void guarded.open(REQUEST, asked('ann'));
  expect(pool.requests).toHaveLength(1);
  expect(onlyFor(undefined, pool)).toBe(pool);
});

it('is asked in the forms and for the sounds of its service, whoever may use it', () => {
  const sounds = {
    sounds: [{ format: 'mulaw', rates: [8000] }],
    prefers: 'listener',
    limit: 'requests',
  } as const;
  const shape = { voices: 'one', maxText: 100 } as const;
  expect(onlyFor(['ann'], { ...createMemoryUpstream(), shape, sounds })).toMatchObject({ shape, sounds });
});

it('reads some languages by the rules of others where the engine speaks: the only one, or the one that spoke', () => {
  const engine = { name: 'here', isEmbedded: true };
  const elsewhere = { name: 'elsewhere', isEmbedded: false };
  expect(spokenAsBy([engine])('galician')).toBe('portuguese');
  expect(spokenAsBy([elsewhere])('galician')).toBeUndefined();
  const ofTwo = spokenAsBy([elsewhere, engine]);
  expect(['here', 'elsewhere', undefined].map((by) => ofTwo('galician', by))).toEqual([
    'portuguese',
    undefined,
    undefined,
  ]);
});
