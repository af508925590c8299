// The configured services as a gateway asks them: names, quotas that belong together, places of keys.
import { describe, expect, it } from 'vitest';
import { findServices, limitsOf, placesOf } from '../../src/app/configured-speech.ts';
import { quotaIdOf } from '../../src/upstream/key-digest.ts';
import { accepted } from '../support/settings.ts';

const find = (env: Record<string, string>) =>
  findServices({ config: accepted({ env }).config, engine: undefined });
const list = (services: readonly object[]) => find({ VOXGATE_UPSTREAMS: JSON.stringify(services) });

describe('places of a key', () => {
  it('are as many as are set for it, whichever process asks; else the setting for all', async () => {
    const { services } = await find({
      VOXGATE_UPSTREAM_KIND: 'openai',
      VOXGATE_UPSTREAM_KEYS: 'one#3,two',
    });
    expect(placesOf(services, quotaIdOf('one'), 50)).toBe(3);
    expect(placesOf(services, quotaIdOf('two'), 50)).toBe(50);
  });
  it('are one number for a group, whatever service its keys are of', async () => {
    const { services } = await list([
      { kind: 'elevenlabs', name: 'a', keys: ['K1#4'], group: 'g' },
      { kind: 'elevenlabs', name: 'b', keys: ['K2', 'K3'], group: 'g' },
    ]);
    const quotas = services.flatMap(({ keys }) => keys.map(({ quota }) => quota));
    expect(new Set(quotas).size).toBe(1);
    expect(placesOf(services, quotas[0]!, 50)).toBe(4);
    expect(services.flatMap(({ keys }) => keys.map(({ atOnce }) => atOnce))).toEqual([4, 4, 4]);
  });
});

describe('quotas', () => {
  it('are those of the key where one service is set, as ever', async () => {
    const { services } = await find({ VOXGATE_UPSTREAM_KIND: 'deepgram', VOXGATE_UPSTREAM_KEYS: 'K' });
    expect(services[0].keys).toMatchObject([{ quota: quotaIdOf('K') }]);
  });
  it('of the same key at the same address are one; at another address, another', async () => {
    const { services } = await list([
      { kind: 'deepgram', name: 'a', keys: ['K'] },
      { kind: 'deepgram', name: 'b', keys: ['K'] },
      { kind: 'deepgram', name: 'c', keys: ['K'], url: 'http://127.0.0.1:9' },
      { kind: 'openai', name: 'd', url: 'http://127.0.0.1:8' },
      { kind: 'openai', name: 'e', url: 'http://127.0.0.1:7' },
    ]);
    const [a, b, c, d, e] = services.map(({ keys }) => keys[0]!.quota);
    expect(a).toBe(b);
    expect(new Set([a, c, d, e]).size).toBe(4);
  });
  it('have the limits that any of their keys names, in whatever order', async () => {
    for (const keys of [
      ['K@60', 'K#5'],
      ['K#5', 'K@60'],
      ['K@60#5', 'K'],
    ]) {
      const { services } = await list(
        keys.map((key, at) => ({ kind: 'deepgram', name: `s${at}`, keys: [key] })),
      );
      expect(limitsOf(services, services[0].keys[0]!.quota)).toEqual({ perMinute: 60, atOnce: 5 });
    }
  });
});
