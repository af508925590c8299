// Which settings say that a gateway is for others than this machine.
import { describe, expect, it } from 'vitest';
import { operatorAccess } from '../../src/settings/operator-access.ts';
import { accepted } from '../support/settings.ts';

const accessOf = (env: Record<string, string>) => operatorAccess(accepted({ env }).config);
const KEYS = { VOXGATE_API_KEYS: 'ann:key' };

describe('a gateway', () => {
  it('with nothing set is this machine’s alone, also with an admin key, a listener for it and legs of a neighbour', () => {
    expect(accessOf({})).toEqual({ adminKey: undefined, offeredBy: undefined });
    const env = { VOXGATE_ADMIN_KEY: 'admin', VOXGATE_ADMIN_PORT: '9', VOXGATE_AUDIOSOCKET_PORT: '10' };
    expect(accessOf(env)).toEqual({ adminKey: 'admin', offeredBy: undefined });
    expect(accessOf({ VOXGATE_HOST: '::1' }).offeredBy).toBeUndefined();
  });

  it.each([
    ['VOXGATE_API_KEYS', KEYS],
    ['VOXGATE_API_KEYS', { ...KEYS, VOXGATE_PUBLIC_URL: 'https://voxgate.example' }],
    ['VOXGATE_API_KEYS', { ...KEYS, VOXGATE_HOST: '0.0.0.0' }],
    ['VOXGATE_TLS_CERT', { VOXGATE_TLS_CERT: 'cert.pem', VOXGATE_TLS_KEY: 'key.pem' }],
    ['VOXGATE_TWILIO_AUTH_TOKEN', { VOXGATE_TWILIO_AUTH_TOKEN: 'token' }],
  ])('is for others by %s', (name, env) => {
    expect(accessOf(env)).toMatchObject({ offeredBy: name });
  });

  it('is for others by what no settings that are taken can be', () => {
    const { config } = accepted({});
    expect(operatorAccess({ ...config, publicUrl: 'https://voxgate.example' }).offeredBy).toBe(
      'VOXGATE_PUBLIC_URL',
    );
    expect(operatorAccess({ ...config, host: '0.0.0.0' }).offeredBy).toBe('VOXGATE_HOST');
  });
});
