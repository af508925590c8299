import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSendBuffer, FrameWriter, serverFrame } from '../../../src/gateway/sockets/frame-writer.ts';

/** A socket that the kernel takes all from at once. */
const recorded = (buffer = createSendBuffer()) => {
  const writes: Buffer[] = [];
  const wire = {
    writableLength: 0,
    write(bytes: Uint8Array) {
      writes.push(Buffer.from(bytes));
      return true;
    },
  };
  return { writer: new FrameWriter(wire, buffer), writes };
};
/** One that takes what it was given when it is told to, and not before. */
const slow = (buffer = createSendBuffer()) => {
  const taken: Buffer[] = [];
  const waiting: (() => void)[] = [];
  const wire = new Writable({
    highWaterMark: 1,
    write(bytes: Buffer, _encoding, done) {
      waiting.push(() => {
        taken.push(Buffer.from(bytes));
        done();
      });
    },
  });
  return {
    writer: new FrameWriter(wire, buffer),
    take: () => waiting.shift()?.(),
    taken: () => Buffer.concat(taken),
  };
};
const payload = (letter: string, length = 1) => new Uint8Array(length).fill(letter.charCodeAt(0));
const frames = (...payloads: (string | Uint8Array)[]) => Buffer.concat(payloads.map(serverFrame));

describe('FrameWriter', () => {
  it('gives one who is behind his own bytes alone, so that he does not hold on to what was sent to others', () => {
    const buffer = createSendBuffer();
    const given: ArrayBufferLike[] = [];
    const stuck = new Writable({ highWaterMark: 1, write: (bytes: Buffer) => void given.push(bytes.buffer) });
    const write = stuck.write.bind(stuck);
    stuck.write = ((bytes: Buffer) => {
      given.push(bytes.buffer);
      return write(bytes);
    }) as typeof stuck.write;
    const writer = new FrameWriter(stuck, buffer);
    const others = Array.from({ length: 3 }, () => slow(buffer));
    for (let frame = 0; frame < 600; frame += 1) {
      writer.write(payload('a', 160));
      for (const other of others) other.writer.write(payload('b', 160));
      for (const other of others) other.take();
    }
    const held = [...new Set(given)].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(2 * buffer.memory.length + 600 * 164);
  });

  it('writes at once what belongs to no task, and tells how much that was', () => {
    const { writer, writes } = recorded();
    expect(writer.write(payload('a', 200))).toBe(204);
    expect(writes).toEqual([frames(payload('a', 200))]);
  });

  it('holds the frame of a task until it is over, and writes nothing for one without', () => {
    const { writer, writes } = recorded();
    writer.cork();
    writer.write(payload('a'));
    expect(writes).toEqual([]);
    writer.uncork();
    writer.cork();
    writer.uncork();
    expect(writes).toEqual([frames(payload('a'))]);
  });

  it('joins the frames of a task, in their order, text and sound', () => {
    const { writer, writes } = recorded();
    writer.cork();
    for (const each of [payload('a'), 'µ', payload('c', 300)]) writer.write(each);
    writer.uncork();
    writer.write('d');
    expect(writes).toEqual([frames(payload('a'), 'µ', payload('c', 300)), frames('d')]);
  });

  it('hands on what it holds before somebody else writes', () => {
    const { writer, writes } = recorded();
    writer.cork();
    writer.write(payload('a'));
    writer.flush();
    expect(writes).toEqual([frames(payload('a'))]);
    writer.write(payload('b'));
    writer.uncork();
    expect(writes).toEqual([frames(payload('a')), frames(payload('b'))]);
  });

  it('holds no more than 16 KB, so that the stream knows of the rest', () => {
    const { writer, writes } = recorded();
    writer.cork();
    for (const letter of 'abcd') writer.write(payload(letter, 8000));
    expect(writes).toEqual([frames(payload('a', 8000), payload('b', 8000))]);
    writer.write(payload('e', 100_000));
    writer.uncork();
    expect(writes.slice(1)).toEqual([
      frames(payload('c', 8000), payload('d', 8000)),
      frames(payload('e', 100_000)),
    ]);
  });

  it('tells how much it holds, which the stream does not know of', () => {
    const buffer = createSendBuffer();
    const [{ writer }, other] = [recorded(buffer), recorded(buffer)];
    writer.cork();
    writer.write(payload('a', 100));
    writer.write(payload('b', 100));
    expect([writer.heldBytes(), other.writer.heldBytes()]).toEqual([204, 0]);
    writer.uncork();
    expect(writer.heldBytes()).toBe(0);
  });

  it('takes no memory for what a socket takes at once', () => {
    const buffer = createSendBuffer();
    const { memory } = buffer;
    const { writer } = recorded(buffer);
    for (let i = 0; i < 1000; i++) writer.write(payload('a', 1000));
    expect(buffer).toMatchObject({ begin: 0, end: 0, holder: undefined });
    expect(buffer.memory).toBe(memory);
  });

  it('leaves one task its place when another socket is written to meanwhile', () => {
    const buffer = createSendBuffer();
    const [a, b] = [recorded(buffer), recorded(buffer)];
    a.writer.cork();
    a.writer.write('first');
    b.writer.write('between');
    a.writer.write('second');
    a.writer.uncork();
    expect(Buffer.concat(a.writes)).toEqual(frames('first', 'second'));
    expect(b.writes).toEqual([frames('between')]);
  });

  it('gives nobody what could not be written to another', () => {
    const buffer = createSendBuffer();
    const broken = {
      writableLength: 0,
      write(): boolean {
        throw new Error('no');
      },
    };
    expect(() => new FrameWriter(broken, buffer).write('for a')).toThrow('no');
    const { writer, writes } = recorded(buffer);
    writer.write('for b');
    expect(writes).toEqual([frames('for b')]);
  });

  it('never writes over what waits in a slow socket', () => {
    type Act = { socket: number; act: 'write' | 'cork' | 'uncork' | 'take'; bytes: number };
    const act = fc.record<Act>({
      socket: fc.nat(3),
      act: fc.constantFrom('write', 'write', 'write', 'cork', 'uncork', 'take'),
      bytes: fc.oneof(fc.nat(200), fc.nat(9000), fc.nat(20_000)),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const buffer = createSendBuffer();
        const sockets = Array.from({ length: 4 }, (_, i) => (i === 0 ? recorded(buffer) : slow(buffer)));
        const said: Buffer[][] = sockets.map(() => []);
        for (const { socket, act: what, bytes } of acts) {
          const { writer } = sockets[socket]!;
          if (what === 'take') (sockets[socket] as Partial<ReturnType<typeof slow>>).take?.();
          else if (what !== 'write') writer[what]();
          else {
            const sound = randomBytes(bytes);
            said[socket]!.push(serverFrame(sound));
            expect(writer.write(sound)).toBe(said[socket]!.at(-1)!.length);
          }
        }
        for (const [i, socket] of sockets.entries()) {
          socket.writer.uncork();
          if ('take' in socket) for (let n = 0; n <= acts.length; n++) socket.take();
          const got = 'taken' in socket ? socket.taken() : Buffer.concat(socket.writes);
          expect(got.equals(Buffer.concat(said[i]!))).toBe(true);
        }
      }),
    );
  });
});
