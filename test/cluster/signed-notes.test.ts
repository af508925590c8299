// What instances believe of each other: each part of a signed request counts, once, for one instance, for a while.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/random.ts';
import { createSignedNotes, MAX_SKEW_MS } from '../../src/cluster/instances/signed-notes.ts';

const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');
const NOTE = { address: '203.0.113.7', scheme: 'https', hosts: 'named' } as const;
const REQUEST = { method: 'POST', path: '/peer/sessions' };
const BODY = Buffer.from('{"userId":null}');

let nowMs = 1_800_000_000_000;
const instance = (id: string, secrets = [NEW]) =>
  createSignedNotes({ secrets, id, unixMs: () => nowMs, random: systemRandom });

describe('a note to another instance', () => {
  it('tells the caller, and for which body it is', () => {
    const read = instance('b').read(instance('a').to('b').stamp(NOTE, REQUEST, BODY), REQUEST);
    expect(read).toMatchObject(NOTE);
    expect(read?.isBody(BODY)).toBe(true);
    expect(read?.isBody(Buffer.from('{"userId":"ann"}'))).toBe(false);
    expect(read?.isBody(new Uint8Array())).toBe(false);
  });

  it('without a body is for none', () => {
    const read = instance('b').read(instance('a').to('b').stamp(NOTE, REQUEST), REQUEST);
    expect([read?.isBody(new Uint8Array()), read?.isBody(BODY)]).toEqual([true, false]);
  });

  it('is for one instance, one method, one path, and one use', () => {
    const header = instance('a').to('b').stamp(NOTE, REQUEST);
    const b = instance('b');
    expect(instance('c').read(header, REQUEST)).toBeUndefined();
    expect(b.read(header, { ...REQUEST, method: 'GET' })).toBeUndefined();
    expect(b.read(header, { ...REQUEST, path: '/peer/endSession' })).toBeUndefined();
    expect(b.read(header, REQUEST)).toBeDefined();
    expect(b.read(header, REQUEST)).toBeUndefined();
  });

  it.each([-1, 1])('holds for 30 s, whichever clock is ahead (%i)', (side) => {
    const sent = nowMs;
    const headers = [0, 1].map(() => instance('a').to('b').stamp(NOTE, REQUEST));
    nowMs = sent + side * MAX_SKEW_MS;
    expect(instance('b').read(headers[0]!, REQUEST)).toBeDefined();
    nowMs = sent + side * (MAX_SKEW_MS + 1);
    expect(instance('b').read(headers[1]!, REQUEST)).toBeUndefined();
    nowMs = sent;
  });

  it('cannot be used again when its time is over at the one that has taken it', () => {
    const b = instance('b');
    nowMs -= MAX_SKEW_MS; // the sender’s clock is behind
    const header = instance('a').to('b').stamp(NOTE, REQUEST);
    nowMs += MAX_SKEW_MS;
    expect(b.read(header, REQUEST)).toBeDefined();
    for (let at = 0; at < 3; at++) {
      nowMs += MAX_SKEW_MS;
      expect(b.read(header, REQUEST)).toBeUndefined();
    }
  });

  it('is believed with the secret before the newest one, and with no other', () => {
    const turning = instance('b', [NEW, OLD]);
    for (const secrets of [[NEW], [OLD], [NEW, OLD]])
      expect(turning.read(instance('a', secrets).to('b').stamp(NOTE, REQUEST), REQUEST)).toBeDefined();
    const other = instance('a', [Buffer.alloc(32, 3).toString('base64')]);
    expect(turning.read(other.to('b').stamp(NOTE, REQUEST), REQUEST)).toBeUndefined();
  });

  it('is not believed with any character changed, and nothing else is', () => {
    const header = instance('a').to('b').stamp(NOTE, REQUEST, BODY);
    const b = instance('b');
    fc.assert(
      fc.property(fc.nat(header.length - 1), fc.constantFrom(...'Aa0_.-~ '), (at, sign) => {
        fc.pre(header[at] !== sign);
        const changed = header.slice(0, at) + sign + header.slice(at + 1);
        const read = b.read(changed, REQUEST);
        // The last character of base64url may have bits that count for nothing.
        if (read !== undefined) expect(at).toBe(header.length - 1);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => b.read(text, REQUEST) === undefined));
  });
});

describe('an entry of the directory', () => {
  it('is believed as it was signed, and is not a request', () => {
    const a = instance('a');
    const signature = a.signEntry('{"id":"a"}');
    expect(instance('b').isEntry('{"id":"a"}', signature)).toBe(true);
    expect(instance('b').isEntry('{"id":"c"}', signature)).toBe(false);
    expect(instance('b').isEntry('{"id":"a"}', '')).toBe(false);
  });
});
