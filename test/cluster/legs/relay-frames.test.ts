// Messages of a leg between two processes, in any split.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRelayReader, packRelay, type RelayMessage } from '../../../src/cluster/legs/relay-frames.ts';

const message: fc.Arbitrary<RelayMessage> = fc.oneof(
  fc.string().map((frame) => ({ is: 'frame', frame }) as const),
  fc.uint8Array({ maxLength: 300 }).map((frame) => ({ is: 'frame', frame: Buffer.from(frame) }) as const),
  fc.record({ bytes: fc.nat(), waiting: fc.nat() }).map((told) => ({ is: 'taken', ...told }) as const),
  fc.constant({ is: 'handed-on' } as const),
  fc.record({ code: fc.nat(), reason: fc.string() }).map((why) => ({ is: 'close', ...why }) as const),
);

describe('relayed messages', () => {
  it('come out as they went in, whatever the split', () => {
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat(40)), (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(packRelay));
        const got: RelayMessage[] = [];
        const read = createRelayReader((each) => got.push(each));
        let at = 0;
        for (const cut of cuts) {
          read(bytes.subarray(at, at + cut));
          at += cut;
        }
        read(bytes.subarray(at));
        expect(got).toEqual(sent);
      }),
    );
  });

  it('are refused when no process of ours has sent them', () => {
    const read = () => createRelayReader(() => {});
    expect(() => read()(Buffer.from([255, 0, 0, 0, 1]))).toThrow(RangeError);
    expect(() => read()(Buffer.from([0, 0, 0, 0, 9]))).toThrow(RangeError);
    expect(() => read()(Buffer.from([0, 0, 0, 1, 3, 123]))).toThrow(SyntaxError);
  });
});
