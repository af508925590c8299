import { describe, expect, it } from 'vitest';
import { createFrameWriter } from '../../src/gateway/frame-writer.ts';

/** What a stream was asked to do: `(` and `)` for cork and uncork, a letter for each frame. */
const recorded = () => {
  let asked = '';
  const wire = {
    write(frame: Uint8Array) {
      asked += String.fromCharCode(frame[0]!);
      return true;
    },
    cork() {
      asked += '(';
    },
    uncork() {
      asked += ')';
    },
  };
  return { writer: createFrameWriter(wire), asked: () => asked };
};
const frame = (letter: string) => new Uint8Array([letter.charCodeAt(0)]);

describe('createFrameWriter', () => {
  it('writes at once what belongs to no task', () => {
    const { writer, asked } = recorded();
    writer.write(frame('a'));
    expect(asked()).toBe('a');
  });

  it('needs no cork for a task of one frame', () => {
    const { writer, asked } = recorded();
    writer.cork();
    writer.write(frame('a'));
    expect(asked()).toBe('');
    writer.uncork();
    expect(asked()).toBe('a');
    writer.cork();
    writer.uncork();
    expect(asked()).toBe('a');
  });

  it('joins the frames of a task, in their order', () => {
    const { writer, asked } = recorded();
    writer.cork();
    for (const letter of 'abc') writer.write(frame(letter));
    writer.uncork();
    writer.write(frame('d'));
    expect(asked()).toBe('(abc)d');
  });

  it('hands on what it holds before somebody else writes', () => {
    const { writer, asked } = recorded();
    writer.cork();
    writer.write(frame('a'));
    writer.flush();
    expect(asked()).toBe('a');
    writer.write(frame('b'));
    writer.uncork();
    expect(asked()).toBe('ab');
  });
});
