import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/access/public-address.ts';

const dotted = (bytes: readonly number[]) => bytes.join('.');
const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff });
const quad = fc.tuple(byte, byte, byte, byte);
const colons = (groups: readonly number[]) => groups.map((value) => value.toString(16)).join(':');

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '93.184.215.14',
    '1.0.0.1',
    '223.255.255.254',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
  ])('takes %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(['2606:4700::1111', '2a00:1450:4001:82b::200e', '2001:4860:4860::8888', '2620:fe::fe'])(
    'takes %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8.',
    '8.8.8.256',
    '8.8.8.8/8',
    '2606:4700::1111%eth0',
    '[2606:4700::1111]',
    '2606:4700::1111/64',
    '2606:4700:::1111',
    'example.com',
  ])('takes nothing but the plain form: not %j', (text) => expect(isPublicAddress(text)).toBe(false));

  // An independent list, with the standard library's own matching.
  const inside = new BlockList();
  for (const range of [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
    '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
  ].flatMap((line) => line.split(' '))) {
    const [net, bits] = range.split('/') as [string, string];
    inside.addSubnet(net, Number(bits), 'ipv4');
  }

  it('refuses all that an independent list of inside ranges has', () => {
    fc.assert(
      fc.property(quad, (bytes) => {
        fc.pre(inside.check(dotted(bytes), 'ipv4'));
        return !isPublicAddress(dotted(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses every IPv4 address inside an IPv6 one', () => {
    fc.assert(
      fc.property(quad, ([a, b, c, d]) => {
        const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
        return [
          `::${a}.${b}.${c}.${d}`,
          `::ffff:${a}.${b}.${c}.${d}`,
          `::ffff:0:${a}.${b}.${c}.${d}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b:1::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:${high}:${low}::1`,
          `2a00:1450::5efe:${high}:${low}`,
        ].every((address) => !isPublicAddress(address));
      }),
    );
  });

  it('takes no IPv6 address outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.tuple(group, group, group, group, group, group, group, group), (groups) => {
        fc.pre(groups[0]! >> 13 !== 1);
        return !isPublicAddress(colons(groups));
      }),
    );
  });
});
