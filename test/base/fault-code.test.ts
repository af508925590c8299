import { describe, expect, it } from 'vitest';
import { faultCode } from '../../src/base/fault-code.ts';

describe('a fault in one word', () => {
  it.each([
    [
      Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6379'), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    // Two addresses were tried, as for localhost: the name of the error says nothing.
    [
      Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    [new Error('Command timed out'), 'timeout'],
    [
      Object.assign(new Error('WRONGTYPE Operation against a key of phrase:secret'), { name: 'ReplyError' }),
      'WRONGTYPE',
    ],
    [new Error('Connection is closed.'), 'Connection is closed.'],
    [new TypeError('secret'), 'TypeError'],
    ['secret', 'unknown'],
  ])('%s', (thrown, code) => {
    expect(faultCode(thrown)).toBe(code);
  });
});
