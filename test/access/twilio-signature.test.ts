// The signature on Twilio's upgrades. The vectors were made with `openssl dgst -sha1 -hmac 12345 -binary | openssl base64`
// over the address as it stands in the TwiML, which is the rule that Twilio publishes for requests without parameters.
import { describe, expect, it } from 'vitest';
import { isSignedByTwilio } from '../../src/access/twilio-signature.ts';

const TOKEN = '12345';
const ORIGIN = 'https://voice.example.com';
const PATH = '/v1/legs/twilio';
const SIGNED = {
  'wss://voice.example.com/v1/legs/twilio': 'OWFUM5MJQWYIDRE9m4oxe7BJ2fo=',
  'wss://voice.example.com/v1/legs/twilio/': 'Twvd4iQW6IjiL3RWhTZhAO3N+0U=',
  'https://voice.example.com/v1/legs/twilio': 'JQQP/2XmJ1dqCSCCMmOx12vSTjM=',
  'wss://voice.example.com:443/v1/legs/twilio': 'GMWRmv8nekC46x6NdW7k+KV9pqc=',
  'ws://127.0.0.1:8080/v1/legs/twilio/abc.def': 'MQf9TloZz0cdQRtczDqJkDDtwLc=',
} as const;
const isTaken = (signature: string | undefined, origin = ORIGIN, target = PATH, token = TOKEN) =>
  isSignedByTwilio(signature, token, origin, target);

describe('a signature of Twilio', () => {
  it.each([
    ['wss://voice.example.com/v1/legs/twilio', ORIGIN, PATH],
    ['wss://voice.example.com/v1/legs/twilio/', ORIGIN, `${PATH}/`],
    ['wss://voice.example.com:443/v1/legs/twilio', 'https://voice.example.com:443', PATH],
    ['ws://127.0.0.1:8080/v1/legs/twilio/abc.def', 'http://127.0.0.1:8080', `${PATH}/abc.def`],
  ] as const)('over %s is taken where the origin is %s', (address, origin, target) => {
    expect(isTaken(SIGNED[address], origin, target)).toBe(true);
  });

  it('over https is not one of the wss address', () => {
    expect(isTaken(SIGNED['https://voice.example.com/v1/legs/twilio'])).toBe(false);
  });

  it('tells a trailing slash from none', () => {
    expect(isTaken(SIGNED['wss://voice.example.com/v1/legs/twilio/'])).toBe(false);
    expect(isTaken(SIGNED['wss://voice.example.com/v1/legs/twilio'], ORIGIN, `${PATH}/`)).toBe(false);
  });

  it('tells :443 from none: what the TwiML names is what is configured', () => {
    expect(isTaken(SIGNED['wss://voice.example.com:443/v1/legs/twilio'])).toBe(false);
    const named = 'https://voice.example.com:443';
    expect(isTaken(SIGNED['wss://voice.example.com/v1/legs/twilio'], named)).toBe(false);
  });

  it('of another account, another path or another host is refused', () => {
    const signature = SIGNED['wss://voice.example.com/v1/legs/twilio'];
    expect(isTaken(signature, ORIGIN, PATH, '12346')).toBe(false);
    expect(isTaken(signature, ORIGIN, `${PATH}?x=1`)).toBe(false);
    expect(isTaken(signature, 'https://evil.example.com')).toBe(false);
  });

  it.each([undefined, '', 'OWFU', 'not base64 at all', `${'A'.repeat(400)}`])('%j is none', (signature) => {
    expect(isTaken(signature)).toBe(false);
  });
});
