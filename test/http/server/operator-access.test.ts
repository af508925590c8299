// Who may end another's session: the admin key where there are keys, this machine where there are none.
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import {
  mayEndSessions,
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

const OPEN: OperatorAccess = { adminKey: undefined, areKeysRequired: false };
const KEYED: OperatorAccess = { adminKey: undefined, areKeysRequired: true };
const ADMIN: OperatorAccess = { adminKey: 'admin', areKeysRequired: true };
const LOCAL_ADMIN: OperatorAccess = { adminKey: 'admin', areKeysRequired: false };

function refusal(...given: Parameters<typeof mayEndSessions>): string {
  try {
    mayEndSessions(...given);
    return 'taken';
  } catch (thrown) {
    return (thrown as AppError).code;
  }
}

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
