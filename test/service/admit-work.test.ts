import { describe, expect, it } from 'vitest';
import { createAdmitWork } from '../../src/service/admit-work.ts';
import { writableStorage } from '../support/writable-storage.ts';

const admitWith = (bytes: number, allowPrivate: 'allowed' | 'refused' = 'refused') =>
  createAdmitWork({
    store: { usage: async (owner) => ({ bytes: owner === 'ann' ? bytes : 0, unfinished: 0 }) },
    mostStoredBytes: 1000,
    allowPrivate,
    isStopping: () => false,
    checkHeld() {},
    storage: writableStorage(),
  });
const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('a new work', () => {
  it('is taken while there is room, counted by owner', async () => {
    await admitWith(999).checkRoom('ann');
    await expect(admitWith(1000).checkRoom('ann')).rejects.toEqual(refusal('storage_full'));
    await admitWith(1000).checkRoom('bob');
  });

  it.each([undefined, null, 'https://example.com/hook', 'http://example.com:8080/'])(
    'may have the address %j',
    (address) => {
      admitWith(0).checkAddress('webHookUrl', address);
    },
  );

  it.each([
    'http://127.0.0.1/',
    'http://10.1.2.3/',
    'http://[::1]/',
    'http://user:pw@example.com/',
    'http://example.com:22/',
  ])('may not have the address %s, and hears which field it was', (address) => {
    expect(() => admitWith(0).checkAddress('webHookUrl', address)).toThrow(refusal('address_refused'));
    expect(() => admitWith(0).checkAddress('webHookUrl', address)).toThrow(/^webHookUrl: /);
  });

  it('may have an address of this machine where that is allowed', () => {
    admitWith(0, 'allowed').checkAddress('webHookUrl', 'http://127.0.0.1:9000/');
  });
});
