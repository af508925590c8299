import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideInAddresses, shownAddress, shownOrigin } from '../../src/base/shown-address.ts';

describe('an address that people are shown', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['ws://[::1]:8080', 'ws://[::1]:8080'],
    ['wss://ann:secret@host.example', 'wss://host.example/…'],
    ['https://secret@host.example:1/', 'https://host.example:1/…'],
    ['wss://host.example/v1/session?token=secret', 'wss://host.example/…'],
    ['https://host.example/#secret', 'https://host.example/…'],
    ['ws://host.example/v1/legs/twilio/secret', 'ws://host.example/…'],
    ['tcp://ann:secret@host.example:9092', 'tcp://host.example:9092/…'],
    // Not whole, so that nobody knows where the host is in it.
    ['wss://ann:secret@host.example:99999', 'wss://…'],
    ['http://', 'http://…'],
    ['file:///etc/secret', 'file://…'],
    ['ann:secret@host.example', '…'],
    ['//ann:secret@host.example', '…'],
    ['host.example?token=secret', '…'],
    ['sk-1234567890abcdef', '…'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0', '…'],
    // Slips that help nobody when they are hidden.
    ['here', 'here'],
    ['localhost:8080', 'localhost:8080'],
    ['voice.example.com:443', 'voice.example.com:443'],
    ['127.0.0.1', '127.0.0.1'],
  ])('%s as %s', (given, shown) => {
    expect(shownAddress(given)).toBe(shown);
  });

  it('never has in it what may be a secret, wherever that stands', () => {
    const secret = fc.stringMatching(/^[A-Z]{6}\d{2}[A-Za-z0-9_.~-]{4,30}$/);
    const place = fc.constantFrom<(mark: string) => string>(
      (mark) => `wss://${mark}@host`,
      (mark) => `https://ann:${mark}@host:8080/v1/session`,
      (mark) => `http://host/${mark}`,
      (mark) => `ws://host/v1/session?key=${mark}`,
      (mark) => `ws://host?${mark}#x`,
      (mark) => `ws://host#${mark}`,
      (mark) => `ann:${mark}@host`,
      (mark) => `wss:/ann:${mark}@host`,
      (mark) => `wss//ann:${mark}@host`,
      (mark) => `wss://ann:${mark}@ho st`,
      (mark) => `https://ann:${mark}/more@host`,
      (mark) => ` https://ann:${mark}@host`,
    );
    fc.assert(
      fc.property(secret, place, (mark, build) => {
        const address = build(mark);
        expect(shownAddress(address).toLowerCase()).not.toContain(mark.toLowerCase());
        expect(shownOrigin(address).toLowerCase()).not.toContain(mark.toLowerCase());
      }),
    );
  });

  it('in the words of a library, as often as they repeat it', () => {
    const said =
      'Request cannot be constructed from a URL that includes credentials: http://a:secret@h/v1?k=s';
    expect(hideInAddresses(said)).toBe(
      'Request cannot be constructed from a URL that includes credentials: http://h/…',
    );
    expect(hideInAddresses(`"ws://h/s" and "ws://h"`)).toBe('"ws://h/…" and "ws://h"');
  });

  it('is its scheme, host and port alone where that is all that is wanted', () => {
    expect(shownOrigin('wss://ann:secret@host:1/v1/session?token=x')).toBe('wss://host:1');
  });
});
