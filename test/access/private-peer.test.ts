import { describe, expect, it } from 'vitest';
import { isPrivatePeer } from '../../src/access/private-peer.ts';

describe('a peer of a listener without keys', () => {
  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.16.0.9',
    '192.168.4.4',
    '169.254.1.1',
    '100.64.0.1',
    'fd00::7',
    'fe80::1',
    '::ffff:10.0.0.2',
  ])('is let in from %s', (address) => {
    expect(isPrivatePeer(address)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'localhost',
    '8.8.8.8',
    '172.32.0.1',
    '0.0.0.0',
    '::',
    '2001:db8::1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '224.0.0.1',
    '2002:7f00:1::',
  ])('is kept out from %s', (address) => {
    expect(isPrivatePeer(address)).toBe(false);
  });
});
