// Who may look at what runs, and end another's session: where the gateway is offered to others the admin key, however local a
// caller looks; else this machine.
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import {
  mayEndSessions,
  mayReadMetrics,
  maySeeWhatRuns,
  type OperatorAccess,
  whatEndingTakes,
} from '../../../src/http/server/operator-access.ts';

const asker = (headers: Readonly<Record<string, string>> = {}, ip = '127.0.0.1') => ({
  ip,
  protocol: 'http' as const,
  raw: { rawHeaders: Object.entries({ host: 'localhost:8080', ...headers }).flat() },
});
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const PAGE_OF_OTHERS = { origin: 'https://evil.example' };
const PROXY = { 'x-forwarded-for': '1.2.3.4' };

const OPEN: OperatorAccess = { adminKey: undefined, offeredBy: undefined };
const KEYED: OperatorAccess = { adminKey: undefined, offeredBy: 'VOXGATE_API_KEYS' };
const ADMIN: OperatorAccess = { adminKey: 'admin', offeredBy: 'VOXGATE_API_KEYS' };
const LOCAL_ADMIN: OperatorAccess = { adminKey: 'admin', offeredBy: undefined };

function refusedBy(may: typeof mayEndSessions, ...given: Parameters<typeof mayEndSessions>) {
  try {
    may(...given);
    return undefined;
  } catch (thrown) {
    return thrown as AppError;
  }
}
const refusal = (...given: Parameters<typeof mayEndSessions>): string =>
  refusedBy(mayEndSessions, ...given)?.code ?? 'taken';

describe('looking at what runs', () => {
  it.each([
    ['this machine, without any keys', OPEN, asker(), 'taken'],
    ['the same with an admin key', LOCAL_ADMIN, asker(), 'taken'],
    ['a proxy on it', OPEN, asker(PROXY), 'forbidden'],
    ['a proxy that tells nothing but the address', OPEN, asker({ 'x-real-ip': '1.2.3.4' }), 'forbidden'],
    ['another machine', OPEN, asker({}, '192.0.2.7'), 'forbidden'],
    ['an outsider behind a silent proxy on this machine', KEYED, asker(), 'forbidden'],
    ['the key of a user', KEYED, asker(bearer('key')), 'forbidden'],
    ['an outsider where there is an admin key', ADMIN, asker(), 'unauthorized'],
    ['a wrong admin key', ADMIN, asker(bearer('admim')), 'unauthorized'],
    ['the admin key', ADMIN, asker(bearer('admin')), 'taken'],
    ['the admin key from elsewhere', ADMIN, asker({ ...bearer('admin'), ...PROXY }, '192.0.2.7'), 'taken'],
  ] as const)('%s', (_who, access, request, answer) => {
    expect(refusedBy(maySeeWhatRuns, request, access)?.code ?? 'taken').toBe(answer);
  });

  it('says which setting makes the admin key necessary, and what to do', () => {
    const { message } = refusedBy(maySeeWhatRuns, asker(), KEYED)!;
    expect(message).toMatch(/VOXGATE_API_KEYS.*; set VOXGATE_ADMIN_KEY.*VOXGATE_ADMIN_PORT/);
    expect(refusedBy(maySeeWhatRuns, asker(), ADMIN)?.message).toMatch(/VOXGATE_API_KEYS.*admin key/);
  });
});

describe('reading metrics', () => {
  it.each([
    ['this machine', OPEN, asker(), 'taken'],
    ['this machine, with API keys', KEYED, asker(), 'taken'],
    ['this machine, with an admin key', ADMIN, asker(), 'taken'],
    ['a proxy on it', ADMIN, asker(PROXY), 'unauthorized'],
    ['a proxy on it, without an admin key', KEYED, asker(PROXY), 'forbidden'],
    ['another machine', KEYED, asker({}, '192.0.2.7'), 'forbidden'],
    ['a name of others', KEYED, asker({ host: 'voxgate.example' }), 'forbidden'],
    ['a page of others in a browser on it', KEYED, asker(PAGE_OF_OTHERS), 'forbidden'],
    ['the admin key from elsewhere', ADMIN, asker({ ...bearer('admin'), ...PROXY }, '192.0.2.7'), 'taken'],
  ] as const)('%s', (_who, access, request, answer) => {
    expect(refusedBy(mayReadMetrics, request, access)?.code ?? 'taken').toBe(answer);
  });
});

describe('ending a session', () => {
  it.each([
    ['this machine, without any keys', OPEN, asker(), 'taken'],
    ['a proxy on it', OPEN, asker(PROXY), 'forbidden'],
    ['a page of others in a browser on it', OPEN, asker(PAGE_OF_OTHERS), 'forbidden'],
    ['another machine', OPEN, asker({}, '192.0.2.7'), 'forbidden'],
    ['this machine, with API keys and no admin key', KEYED, asker(), 'forbidden'],
    ['the key of a user', KEYED, asker(bearer('key')), 'forbidden'],
    ['this machine without the admin key', ADMIN, asker(), 'unauthorized'],
    ['the same without API keys', LOCAL_ADMIN, asker(), 'unauthorized'],
    ['a wrong admin key', ADMIN, asker(bearer('admim')), 'unauthorized'],
    ['the admin key', ADMIN, asker(bearer('admin')), 'taken'],
    ['the admin key from elsewhere', ADMIN, asker({ ...bearer('admin'), ...PROXY }, '192.0.2.7'), 'taken'],
  ] as const)('%s', (_who, access, request, answer) => {
    expect(refusal(request, access)).toBe(answer);
  });

  it('says beforehand what it takes', () => {
    expect(whatEndingTakes(asker(), OPEN)).toBe('nothing');
    expect(whatEndingTakes(asker(), KEYED)).toBe('setting');
    expect(whatEndingTakes(asker(), ADMIN)).toBe('admin-key');
    expect(whatEndingTakes(asker(bearer('admin')), ADMIN)).toBe('nothing');
  });
});
