// Where the frames of a body lie, so that it can be cut behind any of them.

/** `{firstByte, ends, count, heardMs(count)}`: byte offsets, and what is heard of so many first frames. */
export function framesOf(program, bytes) {
  const lengths = [];
  let header;
  let tag;
  const parser = new program.Mp3FrameParser({
    onFrame(frame) {
      lengths.push(frame.bytes.length);
      header = frame.header;
    },
    onTag(found) {
      tag = found;
    },
  });
  parser.push(bytes);
  parser.flush();
  const firstByte = bytes.length - lengths.reduce((sum, length) => sum + length, 0);
  const { samplesPerFrame, sampleRate } = header;
  return {
    firstByte,
    lengths,
    count: lengths.length,
    // Of a body that goes on, the last samples of a frame are still in the decoder's filters.
    heardMs: (count) =>
      (Math.max(0, program.streamSamples(tag, count, samplesPerFrame) - DECODER_DELAY) * 1000) / sampleRate,
  };
}

const DECODER_DELAY = 529;

export const cutBehind = (bytes, { firstByte, lengths }, count) =>
  bytes.subarray(0, firstByte + lengths.slice(0, count).reduce((sum, length) => sum + length, 0));
