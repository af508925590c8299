import { describe, expect, it } from 'vitest';
import { AppError, toAppError } from '../../src/base/app-error.ts';

const failed = (code: string, more: Record<string, unknown> = {}) =>
  Object.assign(new Error(`${code}: said the system`), { code, ...more });
const ofSqlite = (message: string) => Object.assign(new Error(message), { name: 'SQLite3Error' });

describe('what a disk is to blame for', () => {
  it.each([
    ['no space', failed('ENOSPC', { syscall: 'write' }), 'insufficient_storage', 507],
    ['a quota', failed('EDQUOT', { syscall: 'open' }), 'insufficient_storage', 507],
    ['SQLite without room', ofSqlite('database or disk is full'), 'insufficient_storage', 507],
    ['a read-only file system', failed('EROFS', { syscall: 'mkdir' }), 'storage_unavailable', 503],
    ['a broken disk', failed('EIO', { syscall: 'fsync' }), 'storage_unavailable', 503],
    [
      'a file of somebody else',
      failed('EACCES', { syscall: 'open', path: '/data/x' }),
      'storage_unavailable',
      503,
    ],
    ['a read-only database', ofSqlite('attempt to write a readonly database'), 'storage_unavailable', 503],
    ['SQLite that cannot write', ofSqlite('disk I/O error'), 'storage_unavailable', 503],
    [
      'a full disk, told by a thread',
      new AppError('internal', 'The thread has failed.', { cause: failed('ENOSPC') }),
      'insufficient_storage',
      507,
    ],
  ])('%s', (_what, thrown, code, http) => {
    const error = toAppError(thrown);
    expect([error.code, error.http, error.retryable]).toEqual([code, http, true]);
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.message).not.toMatch(/\/data|system/);
  });

  it.each([
    ['a port', failed('EACCES', { syscall: 'listen' })],
    ['a socket in the way', failed('EACCES', { syscall: 'connect', path: '/run/x' })],
    ['a program', failed('EPERM', { syscall: 'spawn x', path: 'x' })],
    ['a missing file', failed('ENOENT', { path: '/x' })],
    ['a constraint', ofSqlite('UNIQUE constraint failed: works.id')],
    ['words alone', new Error('database or disk is full')],
  ])('not %s', (_what, thrown) => {
    expect(toAppError(thrown).code).toBe('internal');
  });

  it('not what has a code of its own already', () => {
    const refused = new AppError('address_unreachable', 'Not there.', { cause: failed('ENOSPC') });
    expect(toAppError(refused)).toBe(refused);
  });
});
