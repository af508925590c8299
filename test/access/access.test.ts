import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCredentials } from '../../src/access/credentials.ts';
import { type HeaderLines, headerLines } from '../../src/access/header-lines.ts';
import { headersTrace, strangerTrace } from '../../src/access/loopback-guard.ts';

const local = (...more: string[]) => headerLines(['Host', '127.0.0.1:8080', ...more]);

describe('header lines', () => {
  it('keeps every line under its lower-case name, and knows no name but those', () => {
    const lines = headerLines(['Host', 'a', 'HOST', 'b', '__proto__', 'c', 'Via', '']);
    expect(Object.entries(lines)).toEqual([
      ['host', ['a', 'b']],
      ['__proto__', ['c']],
      ['via', ['']],
    ]);
    expect(['constructor', 'toString'].filter((name) => name in lines)).toEqual([]);
  });
});

describe('the loopback guard', () => {
  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:8080'])(
    'takes the Host %s',
    (host) => {
      expect(headersTrace(headerLines(['host', host]), 'http')).toBeUndefined();
    },
  );

  it('takes no other Host, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webAuthority(), fc.ipV4(), fc.ipV6(), fc.string()), (host) => {
        fc.pre(!/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host));
        expect(headersTrace(headerLines(['host', host]), 'http')).toMatch(/Host/);
      }),
    );
  });

  it('sees a proxy by any of its headers, in any case and place', () => {
    const names = [
      'Forwarded',
      'via',
      'X-FORWARDED-FOR',
      'X-Forwarded-Host',
      'x-forwarded-proto',
      'X-Forwarded',
      'Cf-Ray',
      'CF-Connecting-IP',
      'X-Real-IP',
      'X-Client-IP',
      'Client-Ip',
      'True-Client-IP',
      'X-Cluster-Client-Ip',
      'Fastly-Client-IP',
      'CDN-Loop',
      'X-Original-Forwarded-For',
      'X-Original-Host',
      'X-Envoy-External-Address',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.array(fc.constant(['A', 'b']), { maxLength: 50 }),
        (name, others) => {
          expect(headersTrace(local(...others.flat(), name, ''), 'http')).toContain(name.toLowerCase());
        },
      ),
    );
  });

  it.each([
    ['127.0.0.1', true],
    ['127.255.0.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::ffff:192.0.2.7', false],
    ['::2', false],
    ['::1234', false],
    ['127.evil.example', false],
    ['', false],
  ])('takes %j for this machine: %s', (address, isThisMachine) => {
    expect(strangerTrace(local(), 'http', address) === undefined).toBe(isThisMachine);
  });

  it('takes nobody whose address is not known', () => {
    expect(strangerTrace(local(), 'http', undefined)).toBe('The request came from another machine.');
  });

  it('takes our own Origin and no other', () => {
    expect(headersTrace(local('Origin', 'http://127.0.0.1:8080'), 'http')).toBeUndefined();
    expect(headersTrace(local('Origin', 'https://127.0.0.1:8080'), 'https')).toBeUndefined();
    for (const origin of ['null', '', 'http://127.0.0.1', 'http://127.0.0.1:8080/', 'https://127.0.0.1:8080'])
      expect(headersTrace(local('Origin', origin), 'http'), origin).toMatch(/Origin/);
  });
});

describe('credentials', () => {
  const credentials = createCredentials([
    { userId: 'ann', apiKey: 'k1' },
    { userId: 'bob', apiKey: 'k2' },
    { userId: 'ann', apiKey: 'k3' },
  ]);
  const identify = (headers: HeaderLines) => credentials.identify(headers);
  const bearer = (key: string, ...more: string[]) => headerLines(['Authorization', `Bearer ${key}`, ...more]);

  it('tells the user by any of his keys', () => {
    expect(['k1', 'k2', 'k3'].map((key) => identify(bearer(key)))).toEqual(['ann', 'bob', 'ann']);
    expect(identify(headerLines(['authorization', 'bearer  k2 ', 'X-User-Id', ' bob ']))).toBe('bob');
  });

  it('takes nothing else', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), (given) => {
        for (const headers of [bearer(given), headerLines(['Authorization', given])]) {
          expect(() => identify(headers)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
        }
      }),
    );
  });

  it('without keys the user id is the tenant', () => {
    const open = createCredentials([]);
    expect(open.areRequired).toBe(false);
    expect(open.identify(headerLines([]))).toBe('local');
    expect(open.identify(headerLines(['x-user-id', ' ann ']))).toBe('ann');
    expect(open.identify(headerLines(['x-user-id', 'u'.repeat(9000)])).length).toBe(200);
    expect(() => open.identify(headerLines(['x-user-id', 'a', 'x-user-id', 'b']))).toThrow(/twice/);
  });
});
