import { describe, expect, it } from 'vitest';
import { createFrameWriter } from '../../src/gateway/frame-writer.ts';

/** What a stream was given, the writes apart. */
const recorded = () => {
  const writes: string[] = [];
  const wire = {
    write(bytes: Uint8Array) {
      writes.push(Buffer.from(bytes).toString('latin1'));
      return true;
    },
  };
  return { writer: createFrameWriter(wire), writes };
};
const frame = (letter: string, length = 1) => new Uint8Array(length).fill(letter.charCodeAt(0));

describe('createFrameWriter', () => {
  it('writes at once what belongs to no task', () => {
    const { writer, writes } = recorded();
    writer.write(frame('a'));
    expect(writes).toEqual(['a']);
  });

  it('holds the frame of a task until it is over, and writes nothing for one without', () => {
    const { writer, writes } = recorded();
    writer.cork();
    writer.write(frame('a'));
    expect(writes).toEqual([]);
    writer.uncork();
    writer.cork();
    writer.uncork();
    expect(writes).toEqual(['a']);
  });

  it('joins the frames of a task, in their order', () => {
    const { writer, writes } = recorded();
    writer.cork();
    for (const letter of 'abc') writer.write(frame(letter));
    writer.uncork();
    writer.write(frame('d'));
    expect(writes).toEqual(['abc', 'd']);
  });

  it('hands on what it holds before somebody else writes', () => {
    const { writer, writes } = recorded();
    writer.cork();
    writer.write(frame('a'));
    writer.flush();
    expect(writes).toEqual(['a']);
    writer.write(frame('b'));
    writer.uncork();
    expect(writes).toEqual(['a', 'b']);
  });

  it('holds no more than 16 KB, so that the stream knows of the rest', () => {
    const { writer, writes } = recorded();
    writer.cork();
    for (const letter of 'abcd') writer.write(frame(letter, 8000));
    expect(writes.map((bytes) => bytes.length)).toEqual([16_000]);
    writer.write(frame('e', 100_000));
    expect(writes.map((bytes) => bytes.length)).toEqual([16_000, 16_000]);
    writer.uncork();
    expect(writes.map((bytes) => `${bytes[0]}${bytes.at(-1)} ${bytes.length}`)).toEqual([
      'ab 16000',
      'cd 16000',
      'ee 100000',
    ]);
  });
});
