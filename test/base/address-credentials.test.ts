import { expect, it } from 'vitest';
import { splitCredentials } from '../../src/base/address-credentials.ts';

it.each([
  ['http://h:1/a?b=c', 'http://h:1/a?b=c', undefined],
  ['https://ann:pass@h/a', 'https://h/a', 'ann:pass'],
  ['https://ann@h', 'https://h/', 'ann:'],
  ['https://:pass@h', 'https://h/', ':pass'],
  ['https://a%40b:p%3Aq@h', 'https://h/', 'a@b:p:q'],
  ['https://ann:50%@h', 'https://h/', 'ann:50%'],
])('%s', (given, address, pair) => {
  const { url, authorization } = splitCredentials(given);
  const wanted = pair === undefined ? undefined : `Basic ${Buffer.from(pair).toString('base64')}`;
  expect([url.href, authorization]).toEqual([address, wanted]);
});
